#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs build and run against an installed copy in a directory of its own:
# by pkg-config, shared, static, wholly static, in C and C++; or by CMake. What
# is installed are the headers of the tree, the manual, a command that runs.
#
#   installed.sh SOURCE BUILD pkg-config | cmake
set -eu
source=$1
build=$2
way=$3
command -v "$way" >/dev/null || { echo "skipped: no $way"; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
program=$source/tests/build/example.c

try() {
	"$@" >"$root/log" 2>&1 ||
		{ cat "$root/log"; echo "failed: $*"; exit 1; }
}

try meson install -C "$build" --no-rebuild --destdir "$root"
pc=$(find "$root" -name libpercpu.pc)
prefix=$root$(sed -n 's/^prefix=//p' "$pc")
lib=${pc%/pkgconfig/libpercpu.pc}

by_pkg_config() {
	PKG_CONFIG_LIBDIR=$lib/pkgconfig
	export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR="$root"
	cflags=$(pkg-config --cflags libpercpu)
	libs=$(pkg-config --libs libpercpu)
	all_libs=$(pkg-config --static --libs libpercpu)
	# shellcheck disable=SC2086  # words
	for cc in "cc -std=c11" "c++ -std=c++17 -x c++"; do
		command -v "${cc%% *}" >/dev/null || continue
		try $cc -Wall -Werror $cflags "$program" -x none $libs \
			"-Wl,-rpath,$lib" -o "$root/shared"
		try "$root/shared"
		try $cc -Wall -Werror $cflags "$program" -x none \
			"$lib/libpercpu.a" -pthread -o "$root/static"
		try "$root/static"
		try $cc -Wall -Werror $cflags "$program" -x none -static \
			$all_libs -o "$root/whole"
		try "$root/whole"
	done
}

by_cmake() {
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
	try cmake -S "$root/project" -B "$root/project/build" \
		-DCMAKE_PREFIX_PATH="$prefix"
	try cmake --build "$root/project/build"
	try "$root/project/build/example"
	try "$root/project/build/example-static"
	sed -i 's/percpu 0.1 REQ/percpu 1.0 REQ/' "$root/project/CMakeLists.txt"
	! cmake -S "$root/project" -B "$root/project/later" \
		-DCMAKE_PREFIX_PATH="$prefix" >"$root/log" 2>&1 ||
		{ echo "a version that is not there is found"; exit 1; }
}

case $way in
cmake) by_cmake ;;
*)
	try diff -r "$source/include/percpu" "$prefix/include/percpu"
	for page in "$source"/man/*.[1-9]; do
		try cmp "$page" \
			"$prefix/share/man/man${page##*.}/${page##*/}"
	done
	[ ! -e "$prefix/bin/percpu" ] ||
		try env LD_LIBRARY_PATH="$lib" "$prefix/bin/percpu" info
	by_pkg_config
	;;
esac
