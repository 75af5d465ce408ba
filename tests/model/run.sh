#!/bin/sh
# SPDX-License-Identifier: MIT
# Every run of a model, in every order of its steps, ends as it must; a variant
# that is broken on purpose has one that does not.
#
#   run.sh MODEL right|wrong [DEFINITION]...
set -eu
command -v spin >/dev/null || { echo "skipped: no spin"; exit 77; }
model=$1
how=$2
shift 2
defined=
for word in "$@"; do defined="$defined -D$word"; done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck disable=SC2086  # words
spin $defined -a "$model" >spin.log </dev/null || { cat spin.log; exit 1; }
${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1500 -o pan pan.c
./pan -m100000 -E >pan.log 2>&1 || { cat pan.log; exit 1; }
grep 'errors:\|states, stored\|depth reached' pan.log
if grep -q 'max search depth too small\|out of memory\|Search not completed' pan.log &&
	! grep -q 'assertion violated' pan.log; then
	cat pan.log
	exit 1
fi
if [ "$how" = wrong ]; then
	grep 'assertion violated' pan.log
else
	grep -q 'errors: 0$' pan.log
fi
