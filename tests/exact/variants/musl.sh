#!/bin/sh
# SPDX-License-Identifier: MIT
# Totals are exact with musl, where the library registers threads by itself.
# usage: musl.sh SOURCE_ROOT
set -eu

root=$1
command -v musl-gcc >/dev/null || { echo "skipped: no musl-gcc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The wrapper knows no kernel headers: show it these and none of glibc's.
mkdir "$dir/kernel"
ln -s /usr/include/linux /usr/include/asm-generic "$dir/kernel"
for asm in /usr/include/asm "/usr/include/$(uname -m)-linux-gnu/asm"; do
	if [ -d "$asm" ]; then
		ln -s "$asm" "$dir/kernel/asm"
		break
	fi
done

compile() {
	musl-gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror \
		-idirafter "$dir/kernel" -I"$root/include" \
		-I"$root/tests/support" -pthread "$@"
}

build() { # NAME SOURCE...
	name=$1
	shift
	compile -static -o "$dir/$name" "$@" "$dir"/*.o
}

for source in "$root"/src/*.c; do
	case $source in
	*/area_libc.c) ;;
	*) compile -c -o "$dir/$(basename "$source" .c).o" "$source" ;;
	esac
done
exact=$root/tests/exact
build totals "$exact/totals.c" "$exact/stress.c" "$exact/stress_ops.c"
build refused_later "$exact/refused_later.c" "$exact/stress.c" \
	"$exact/stress_ops.c"
build threads "$exact/own/threads.c"
build late "$exact/own/late.c"
build ends -Wl,--wrap=percpu__os_rseq "$exact/own/ends.c"
build fork "$root/tests/reports/b28-fork.c"
build handler "$root/tests/reports/b33-handler-first.c"

"$dir/totals" -n 20000 rseq
PERCPU_BACKEND=atomic "$dir/totals" -n 5000 atomic
"$dir/refused_later"
"$dir/threads"
"$dir/late"
"$dir/ends"
"$dir/fork"
"$dir/handler"
