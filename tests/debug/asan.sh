#!/bin/sh
# SPDX-License-Identifier: MIT
# AddressSanitizer reports mistakes with per-CPU objects as it does for malloc's
# memory, and says which object; a program without a mistake is silent.
#
#   asan.sh SOURCE LIBRARY COMPILER
set -eu
source=$1
lib=$2
cc=$3
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo 'int main(void) { return 0; }' >"$dir/empty.c"
"$cc" -fsanitize=address "$dir/empty.c" -o "$dir/empty" 2>/dev/null &&
	"$dir/empty" || { echo "skipped: $cc has no sanitizer here"; exit 77; }

"$cc" -g -O1 -fsanitize=address -Wall -Wextra -Wpedantic -Werror \
	-I"$source/include" -I"$source/tests/support" \
	"$source/tests/debug/mistakes.c" "$lib" -pthread \
	"-Wl,-rpath,${lib%/*}" -o "$dir/mistakes"

expect() { # MISTAKE TEXT...
	mistake=$1
	shift
	if "$dir/mistakes" "$mistake" >"$dir/out" 2>&1; then
		echo "$mistake is not seen"
		exit 1
	fi
	for text in "$@"; do
		grep -q -- "$text" "$dir/out" ||
			{ echo "$mistake: no '$text' in:"; cat "$dir/out"; exit 1; }
	done
}

over='AddressSanitizer: heap-buffer-overflow'
freed='AddressSanitizer: heap-use-after-free'
asked='16-byte object .*, asked for by .*mistakes.c:[0-9]*.*, freed by'

expect write-over "$over" 'WRITE of size 8' " is 0 bytes after the $asked nobody"
expect read-over "$over" 'READ of size 8' " is 8 bytes after the $asked nobody"
expect write-before "$over" 'WRITE of size 8'
expect write-shared "$over" 'WRITE of size 8' " is 0 bytes after the $asked"
expect write-odd "$over" 'WRITE of size 1' ' is 0 bytes after the 5-byte object'
expect write-freed "$freed" 'WRITE of size 8' \
	" is 8 bytes inside the $asked .*mistakes.c:[0-9]"
expect zero-freed "$freed" 'WRITE of size 16'
expect add-over "$over" 'WRITE of size 8' " is 0 bytes after the $asked nobody"
expect write-op-over "$over" 'WRITE of size 1'
expect read-op-over "$over" 'READ of size 2'
expect sum-over "$over" 'READ of size 4'
expect add-freed "$freed" 'WRITE of size 8'
expect dereference 'AddressSanitizer: SEGV on unknown address'

for how in '' quarantine=16k all,quarantine=16k; do
	PERCPU_DEBUG=$how "$dir/mistakes" none >"$dir/out" 2>&1 &&
		[ ! -s "$dir/out" ] ||
		{ echo "'$how', no mistake:"; cat "$dir/out"; exit 1; }
done
