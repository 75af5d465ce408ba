#!/bin/sh
# SPDX-License-Identifier: MIT
# Valgrind reports mistakes with per-CPU objects as it does for malloc's memory;
# a program without a mistake is silent, and so is the search for leaks.
#
#   valgrind.sh MISTAKES
set -eu
mistakes=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# A valgrind older than the compiler cannot read what that wrote.
if ! command -v valgrind >/dev/null ||
	valgrind -q true 2>&1 | grep -q "debuginfo reader"; then
	echo "skipped: no valgrind that works"
	exit 77
fi

# watch MISTAKE: what comes of it, in $dir/out.
watch() {
	valgrind -q --error-exitcode=9 --leak-check=full "$mistakes" "$1" \
		>"$dir/out" 2>&1
}

expect() { # MISTAKE TEXT...
	mistake=$1
	shift
	if watch "$mistake"; then
		echo "$mistake is not seen"
		exit 1
	fi
	for text in "$@"; do
		grep -q -- "$text" "$dir/out" ||
			{ echo "$mistake: no '$text' in:"; cat "$dir/out"; exit 1; }
	done
}

block="a block of size 16 alloc'd"

expect write-over 'Invalid write of size 8' " is 0 bytes after $block" \
	'by .*: percpu_alloc '
expect read-over 'Invalid read of size 8' " is 8 bytes after $block"
expect write-before 'Invalid write of size 8' " is 8 bytes before $block"
expect write-shared 'Invalid write of size 8' " is 0 bytes after $block"
expect write-odd 'Invalid write of size 1' \
	"is 0 bytes after a .*block of size 5 alloc'd"
expect write-freed 'Invalid write of size 8' \
	" is 8 bytes inside a block of size 16 free'd" 'by .*: percpu_free ' \
	"Block was alloc'd at"
expect zero-freed 'Invalid write' "block of size 16 free'd"
expect add-over 'Invalid read of size 8' " is 0 bytes after $block"
expect write-op-over 'Invalid write of size 1'
expect read-op-over 'Invalid read of size 2'
expect sum-over 'Invalid read of size 4'
expect add-freed 'Invalid read of size 8' "block of size 16 free'd"
expect dereference 'Invalid write of size 1' " is 0 bytes inside $block"
expect lose '16 bytes in 1 blocks are definitely lost' 'by .*: percpu_alloc '

for how in quarantine=16k all,quarantine=16k; do
	PERCPU_DEBUG=$how watch none && [ ! -s "$dir/out" ] ||
		{ echo "$how, no mistake:"; cat "$dir/out"; exit 1; }
done
