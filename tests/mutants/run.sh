#!/bin/sh
# SPDX-License-Identifier: MIT
# A mutant is this project with one rule broken. It must build, and the test
# that watches over the rule must fail on it.
#
#   run.sh SOURCE TREE MUTANT
#
# SOURCE is the project, TREE a copy of it that all mutants share, with a build
# directory of its own; MUTANT a file of lines:
#
#   # what is broken
#   file: PATH          the file to change
#   sed: EXPRESSION     how; one or more lines
#   test: NAME          the test of Meson's that must then fail
set -eu

source=$1
tree=$2
mutant=$3

field() {
	sed -n "s/^$1: //p" "$mutant"
}

# One mutant at a time: they share the tree.
mkdir -p "$tree"
exec 9>"$tree.lock"
flock 9

# Bring what differs; a file that is the same keeps its time, so that ninja
# builds again what a mutant before this one changed, and nothing else.
copy() {
	(cd "$source" && find meson.build meson_options.txt include src cli \
		cmake man tests -type f 2>/dev/null) |
		while read -r path; do
			cmp -s "$source/$path" "$tree/$path" && continue
			mkdir -p "$tree/$(dirname "$path")"
			cp "$source/$path" "$tree/$path"
			chmod --reference="$source/$path" "$tree/$path"
		done
}

build() {
	if [ ! -e "$tree/build/build.ninja" ]; then
		meson setup "$tree/build" "$tree" -Dbuildtype=debugoptimized
	fi
	ninja -C "$tree/build" -j2
}

file=$(field file)
test=$(field test)
log=$tree/$(basename "$mutant").log

copy
build >"$log" 2>&1 || { cat "$log"; echo "the copy does not build"; exit 1; }

expressions=$tree/expressions.sed
field sed >"$expressions"
sed -i -f "$expressions" "$tree/$file"
if cmp -s "$source/$file" "$tree/$file"; then
	echo "$mutant changes nothing in $file"
	exit 1
fi
trap 'cp "$source/$file" "$tree/$file"' EXIT

build >"$log" 2>&1 || { cat "$log"; echo "the mutant does not build"; exit 1; }
status=0
meson test -C "$tree/build" --no-rebuild "$test" >"$log" 2>&1 || status=$?
if grep -q '^Fail: *[1-9]\|^Timeout: *[1-9]' "$log"; then
	sed -n 's/^# //p' "$mutant"
	echo "caught by $test"
	exit 0
fi
cat "$log"
if grep -q '^Skipped: *[1-9]' "$log"; then
	echo "$test was skipped"
	exit 77
fi
echo "$test does not see it (status $status)"
exit 1
