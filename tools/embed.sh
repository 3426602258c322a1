#!/bin/sh
# Print a C file that holds the named configuration files as bytes; see
# core/config.h for the table's type.
set -eu
printf '#include "core/config.h"\n#include <stddef.h>\n'
i=0
for f in "$@"; do
	printf 'static const char f%d[] = {\n' $i
	od -An -v -tu1 "$f" | sed 's/  */ /g; s/^ //; s/ /,/g; s/$/,/'
	printf '0};\n'
	i=$((i + 1))
done
printf 'const struct config_file config_embedded[] = {\n'
i=0
for f in "$@"; do
	printf '\t{"%s", f%d, sizeof(f%d) - 1},\n' "${f#configs/}" $i $i
	i=$((i + 1))
done
printf '\t{NULL, NULL, 0}\n};\n'
