#!/usr/bin/env bash
# make demo: the main job on this machine's disk, then on two modelled drives.
#   DIR=/mnt/x     where the data set is put   [build/demo]
#   LIMIT=200MB/s  slow the disk down on purpose: the verdict must turn
#   KEEP=1         keep the data set (2 GiB)
set -euo pipefail
stoker=${STOKER:-build/stoker}
dir=${DIR:-build/demo}
limit=()
[ -z "${LIMIT:-}" ] || limit=(--limit-read "$LIMIT")
files=448 # 64 steps an epoch of 7 samples: a steady state exists
scale=(--model unet3d --scale 1/32)
budget_s=12 # for each of six runs

mkdir -p "$dir"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$dir"' EXIT

echo "== 1. a data set: $files Unet3D samples at 1/32 scale, in $dir"
"$stoker" training datagen "${scale[@]}" --data-dir "$dir" \
	--param dataset.num_files_train=$files

echo
echo "== 2. a short probe: how fast can this disk be read?"
probe() { # accelerator that computes nothing: reads as fast as it goes
	"$stoker" training run "${scale[@]}" --data-dir "$dir" --odirect \
		--accelerator-type b200 --computation-time 1us --quiet \
		--param train.epochs=1 "${limit[@]}" --json ||
		[ $? = 1 ] # a verdict of FAIL is no matter here
}
mib_s=$(probe | jq '.runs[0].metrics.read_gib_per_s * 1024 | floor')
# MiB/s of one accelerator at AU 90 %, largest first; 10 % of doubt
if [ "$mib_s" -ge 4894 ]; then
	accelerator=b200
elif [ "$mib_s" -ge 2455 ]; then
	accelerator=h100
else
	accelerator=a100
fi
set_mib=1950
epochs=$((budget_s * mib_s / set_mib))
[ $epochs -ge 1 ] || epochs=1
[ $epochs -le 5 ] || epochs=5
echo "$mib_s MiB/s: ask for one $accelerator, $epochs epochs a run"

echo
echo "== 3. can this disk feed one $accelerator? warm-up + five runs"
code=0
"$stoker" training run "${scale[@]}" --data-dir "$dir" --odirect \
	--accelerator-type $accelerator --num-accelerators 1 \
	--runs 5 --warmup 1 --param train.epochs=$epochs --verdict steady \
	"${limit[@]}" || code=$?
[ $code -le 1 ] || exit $code

echo
echo "== 4. the same question to two modelled drives, in virtual time"
for drive in constant:14.5GB/s,80us constant:1GB/s,100us; do
	"$stoker" training run "${scale[@]}" --drive $drive --odirect \
		--accelerator-type $accelerator --num-accelerators 1 \
		--runs 5 --warmup 1 --param dataset.num_files_train=$files \
		--param train.epochs=$epochs --verdict steady --quiet |
		head -n 3 || true
	echo
done
if [ $code = 0 ]; then
	echo "verdict: PASS, this disk feeds one $accelerator (at 1/32 scale; not an MLPerf result)"
else
	echo "verdict: FAIL, this disk does not feed one $accelerator (at 1/32 scale; not an MLPerf result)"
fi
