#!/bin/sh
# SPDX-License-Identifier: MIT
# The table is the same from each compiler.
#
#   compilers.sh CC SOURCE
set -eu
cc=$1
cd "$2"

command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=tests/coherence

# compile FLAGS SOURCE...
compile() {
	flags=$1
	shift
	for source; do
		# $flags is a list.
		# shellcheck disable=SC2086
		"$cc" -std=gnu11 -O2 $flags -D_GNU_SOURCE -Iinclude -Isrc \
			-I$here -c "$source" \
			-o "$dir/$(basename "$source").o" || exit 1
	done
}

hooked=-fsanitize=thread
# As gcc does: tell of a word that is read and then written twice.
[ "$cc" != clang ] ||
	hooked="$hooked -mllvm -tsan-instrument-read-before-write"
model="-DPERCPU__ARCH_FILE=\"arch_model.h\" -DPERCPU__SECTION_FILE=\"section_model.h\""
# shellcheck disable=SC2046  # names without spaces
compile "$model $hooked" $here/rows.c $here/rows_[acor]*.c \
	$(find src -name '*.c' ! -name 'os_linux*.c' ! -name area_own.c)
compile "$hooked" $here/rows_fallback.c
compile "$model" $here/model.c $here/lines.c $here/hooks.c $here/system.c \
	$here/twin_*.c $here/coherence.c src/os_linux*.c
wraps=$(sed -n 's/^.*__wrap_\(percpu__os_[a-z_]*\)(.*$/-Wl,--wrap=\1/p' \
	$here/system.c | sort -u)
# shellcheck disable=SC2086
"$cc" $wraps "$dir"/*.o -pthread -o "$dir/coherence"
$here/compare.sh "$dir/coherence" $here/table.txt
