#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are well formed, percpu.1 names each command and each long
# option that the command itself explains, and percpu-kernel.7 each name that
# percpu/kernel.h defines, and none of those as missing.
#
#   manual.sh SOURCE PERCPU
set -eu
man=$1/man
percpu=$2

page=$(sed 's/\\-/-/g; s/Fl -/Fl --/g' "$man/percpu.1")
commands=$("$percpu" --help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
[ -n "$commands" ]
for command in $commands; do
	echo "$page" | grep -q "Cm $command" ||
		{ echo "percpu.1 has no command $command"; exit 1; }
	options=$("$percpu" "$command" --help | grep -o '^ *--[a-z-]*')
	for option in $options; do
		echo "$page" | grep -qE "Fl $option( |\$)" ||
			{ echo "percpu.1: no $command $option"; exit 1; }
	done
done

# Macros, functions and types; __this_cpu_add and raw_cpu_add are this_cpu_add.
names=$(cat "$1"/include/percpu/kernel/*.h | awk '
	/^#define / { sub(/\(.*/, "", $2); print $2 }
	/^(static inline|PERCPU__INLINE) / { whole = "" }
	{ whole = whole " " $0 }
	/^(static inline|PERCPU__INLINE) /, /\(/ {
		if (/\(/) {
			sub(/\(.*/, "", whole)
			n = split(whole, word, /[ \t*]+/)
			print word[n]
		}
	}
	/^(typedef )?struct .* \{$/ { print $(NF - 1) }
	/^} .*_t;$/ { sub(/;/, "", $NF); print $NF }' |
	grep -v '^PERCPU_\|^percpu__' | sed 's/^\(__this\|raw\)_cpu_/this_cpu_/' |
	LC_ALL=C sort -u)
[ "$(echo "$names" | wc -l)" -gt 200 ]
for name in $names; do
	grep -qw -e "$name" "$man/percpu-kernel.7" ||
		{ echo "percpu-kernel.7 has no $name"; exit 1; }
done

missing=$(sed -n '/^\.Sh NOT HERE/,/^\.Sh SEE/s/^\.It Ic \|^local_\|^this_/&/p' \
	"$man/percpu-kernel.7" | tr -cs 'A-Za-z0-9_' '\n')
[ "$(echo "$missing" | wc -l)" -gt 20 ]
for name in $names; do
	! echo "$missing" | grep -qx -e "$name" ||
		{ echo "percpu-kernel.7: $name is there"; exit 1; }
done

command -v mandoc >/dev/null || { echo "skipped: no mandoc"; exit 77; }
for page in "$man"/*.[1-9]; do
	mandoc -T lint -W warning "$page"
done
