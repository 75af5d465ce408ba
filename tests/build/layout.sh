#!/bin/sh
# SPDX-License-Identifier: MIT
# The tree is as CONTRIBUTING.md says: licences named, files short, lines of 80
# columns, nothing left to do in the sources, no path of somebody's machine.
#
#   layout.sh SOURCE
set -eu
cd "$1"
git ls-files >/dev/null 2>&1 || { echo "skipped: not a checkout"; exit 77; }
wrong=0

say() {
	echo "$1:"
	echo "$2"
	wrong=1
}

expect_none() {
	[ -z "$2" ] || say "$1" "$2"
}

text() {
	git ls-files -- "$@" | while read -r f; do [ -e "$f" ] && echo "$f"; done
}

# shellcheck disable=SC2046  # names without spaces
{
	expect_none "no licence named" "$(text '*.c' '*.h' '*.cc' '*.sh' '*.py' \
		'*meson.build' Makefile 'scripts/*' '.ci/*' 'man/*' |
		xargs grep -L 'SPDX-License-Identifier: MIT')"
	expect_none "longer than 500 lines" "$(text 'src/*' 'include/*' 'cli/*' |
		xargs wc -l | awk '$2 != "total" && $1 > 500')"
	# Messages are not broken: a line that ends in a string may be long.
	expect_none "wider than 80 columns" "$(text 'src/*.[ch]' 'include/*.h' \
		'cli/*.[ch]' | while read -r f; do
		width=$(grep -v '"$\|",$\|");$' "$f" | LC_ALL=C.UTF-8 wc -L)
		[ "$width" -le 80 ] || echo "$f: $width"
	done)"
	expect_none "left to do" \
		"$(git grep -nE 'TODO|FIXME|XXX' -- src include cli || :)"
	# Directories of ours come before the system's, in the library's units too.
	expect_none "named as a header of C" "$(text '*.h' | grep -E \
		'/(assert|ctype|errno|float|inttypes|limits|locale|math|setjmp|signal|std[a-z]*|string|tgmath|time|uchar|wchar)\.h$' || :)"
	expect_none "somebody's paths" "$(git grep -nIE \
		'(^|[^A-Za-z0-9_.])/(root|home|work|tmp/wt)/' -- . ':!tests/build/layout.sh' || :)"
}
exit $wrong
