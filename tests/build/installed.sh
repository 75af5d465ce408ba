#!/bin/sh
# SPDX-License-Identifier: MIT
# A program builds and runs against an installed copy: by pkg-config, shared
# and static, in C and C++, and by CMake where that is here; every header is
# there, and the command runs.
#
#   installed.sh SOURCE BUILD
set -eu
source=$1
build=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --destdir "$root" >"$root/log" 2>&1 ||
	{ cat "$root/log"; exit 1; }

pc=$(find "$root" -name libpercpu.pc)
prefix=$root$(sed -n 's/^prefix=//p' "$pc")
PKG_CONFIG_LIBDIR=$(dirname "$pc")
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR="$root"
lib=$(dirname "$PKG_CONFIG_LIBDIR")

(cd "$source/include" && find . -name '*.h') | while read -r header; do
	cmp "$source/include/$header" "$prefix/include/$header" || exit 1
done

program=$source/tests/build/example.c
# shellcheck disable=SC2046  # words
try() {
	"$@" || { echo "failed: $*"; exit 1; }
}
cflags=$(pkg-config --cflags libpercpu)
libs=$(pkg-config --libs libpercpu)
# shellcheck disable=SC2086  # words
for cc in "cc -std=c11" "c++ -std=c++17 -x c++"; do
	case $cc in c++*) command -v c++ >/dev/null || continue ;; esac
	try $cc -Wall -Werror $cflags "$program" -x none $libs \
		"-Wl,-rpath,$lib" -o "$root/shared"
	try "$root/shared"
	try $cc -Wall -Werror $cflags "$program" -x none "$lib/libpercpu.a" \
		-pthread -o "$root/static"
	try "$root/static"
done
try env LD_LIBRARY_PATH="$lib" "$prefix/bin/percpu" info >/dev/null

command -v cmake >/dev/null || exit 0
mkdir "$root/project"
cp "$program" "$root/project/"
cat >"$root/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(percpu 0.1 REQUIRED)
add_executable(example example.c)
target_link_libraries(example percpu::percpu)
add_executable(example-static example.c)
target_link_libraries(example-static percpu::static)
END
cmake -S "$root/project" -B "$root/project/build" \
	-DCMAKE_PREFIX_PATH="$prefix" >"$root/log" 2>&1 &&
	cmake --build "$root/project/build" >>"$root/log" 2>&1 ||
	{ cat "$root/log"; exit 1; }
try "$root/project/build/example"
try "$root/project/build/example-static"
