#!/bin/sh
# SPDX-License-Identifier: MIT
# The public headers with one rule broken, for programs that must be found
# wrong: a mutant of tests/mutants applied to a copy of them.
#
#   break.sh MUTANT SOURCE DIRECTORY STAMP DEPFILE
#
# Writes DIRECTORY/include, and what it was made of to DEPFILE.
set -eu
mutant=$1
source=$2
dir=$3
stamp=$4
depfile=$5

field() {
	sed -n "s/^$1: //p" "$mutant"
}

rm -rf "$dir"
mkdir -p "$dir"
cp -r "$source/include" "$dir/include"
field sed >"$dir/expressions.sed"
sed -i -f "$dir/expressions.sed" "$dir/$(field file)"
if cmp -s "$source/$(field file)" "$dir/$(field file)"; then
	echo "$mutant changes nothing in $(field file)" >&2
	exit 1
fi
echo "$stamp: $mutant $(find "$source/include" -name '*.h' | paste -s -d ' ')" \
	>"$depfile"
echo '/* The headers of this program are broken. */' >"$stamp"
