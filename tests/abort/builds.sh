#!/bin/sh
# SPDX-License-Identifier: MIT
# Sections survive every way of building: at each optimisation level, position
# independent or not, with functions that several C++ sources share, with
# unused sections dropped, with link-time optimisation, programs link and count
# right, and their descriptors are well formed; unoptimised and at the highest
# level the sections also stand an abort at each of their instructions.
#
# usage: builds.sh CC CXX LIBPERCPU.A SOURCE_ROOT
set -u
cc=$1 cxx=$2 lib=$3 root=$4
here=$root/tests/abort

if ! command -v "$cc" >/dev/null || ! command -v "$cxx" >/dev/null; then
	echo "skipped: no $cc and $cxx"
	exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
built=0

# compile COMPILER FLAGS SOURCE...: objects in $dir
compile() {
	compiler=$1 flags=$2
	shift 2
	for source; do
		# $flags is a list.
		# shellcheck disable=SC2086
		"$compiler" $flags -D_GNU_SOURCE -I"$root/include" \
			-I"$root/tests/support" -I"$here" -c "$source" \
			-o "$dir/$(basename "$source").o" || return 1
	done
}

# try FLAGS LINK_FLAGS C_SOURCES C++_SOURCES: build, run, check descriptors
try() {
	what="$cc $1 $2"
	rm -f "$dir"/*
	# shellcheck disable=SC2086
	if compile "$cc" "$1" $3 && compile "$cxx" "$1" $4 &&
		"$cxx" $1 $2 "$dir"/*.o "$lib" -pthread -o "$dir/program"
	then
		run && return
	fi
	echo "$what: failed"
	exit 1
}

run() {
	"$dir/program" >"$dir/log" 2>&1
	case $? in
	0) ;;
	77) cat "$dir/log" ;;
	*) cat "$dir/log"; return 1 ;;
	esac
	"$here/descriptors.py" "$dir/program" >"$dir/log" 2>&1
	case $? in
	0 | 77) built=$((built + 1)) ;;
	*) cat "$dir/log"; return 1 ;;
	esac
}

count() {
	try "$1" "$2" "$here/builds/main.c" \
		"$here/builds/one.cc $here/builds/two.cc"
}

every() {
	try "$1" "$2" "$here/every.c $here/inject.c $here/object.c \
		$here/operation_c.c $here/operation_twin.c" \
		"$here/operation_cxx.cc"
}

for o in -O0 -O1 -O2 -O3 -Os; do
	count "$o -fPIE" -pie
	count "$o -fno-pie" -no-pie
done
count "-O0 -ffunction-sections" -Wl,--gc-sections
count "-O2 -ffunction-sections" -Wl,--gc-sections
count "-O2 -flto" ""
count "-O2 -flto -ffunction-sections" -Wl,--gc-sections
count "-O2 -fPIC -g" ""
if command -v ld.lld >/dev/null; then
	count "-O2 -ffunction-sections" "-fuse-ld=lld -Wl,--gc-sections"
fi
every "-O0" ""
every "-O3 -fno-pie" -no-pie

echo "$cc: $built builds count right"
