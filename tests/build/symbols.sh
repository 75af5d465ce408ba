#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library exports what symbols.txt lists and nothing else; a file of
# src/ defines, beside public names, only names that start with its own.
#
#   symbols.sh SOURCE SHARED-LIBRARY STATIC-LIBRARY
set -eu
listed=$1/tests/build/symbols.txt
# Runtimes of sanitizers and the like are not ours.
exported=$(nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep '^percpu' | LC_ALL=C sort)
[ "$exported" = "$(grep -v '^#' "$listed")" ] || {
	echo "exported are:"
	echo "$exported"
	exit 1
}
if nm -D --defined-only "$2" | awk '$2 != "A" { print $3 }' |
	grep -v '^percpu\|^_\|^\.'; then
	echo "exported beside percpu's own"
	exit 1
fi

nm -A -g --defined-only "$3" | awk '
	{
		split($1, part, ":")
		file = part[2]
		sub(/^.*_src_|^src_/, "", file)
		sub(/\.c\.o$/, "", file)
		sub(/^.*\//, "", file)
		# area_libc.c and os_linux*.c are kinds of area and os.
		sub(/_(libc|own|live|linux|linux_cpus)$/, "", file)
		name = $NF
		if (name !~ /^percpu__/ || name == "percpu__rt")
			next
		if (name !~ "^percpu__" file "(_|$)") {
			print file ".c defines " name
			wrong = 1
		}
		count++
	}
	END { exit wrong || count == 0 }'
