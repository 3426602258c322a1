#!/bin/sh
# Install what building and testing needs on Debian 12, if it is missing.
set -eu
pkgs="build-essential pkg-config liburing-dev libopenmpi-dev openmpi-bin
libcjson-dev libpopt-dev libisal-dev libgmp-dev libyaml-dev libhpdf-dev nettle-dev
libhdf5-dev libopenblas-serial-dev libcunit1-dev jq python3-numpy python3-h5py python3-yaml fio
strace zstd gnuplot-nox"
missing=
for p in $pkgs; do
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
	installed) ;;
	*) missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "missing packages; run as root: apt-get install$missing" >&2
	exit 3
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
