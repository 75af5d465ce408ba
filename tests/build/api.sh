#!/bin/sh
# SPDX-License-Identifier: MIT
# The samples of every operation and of every object's header compile without
# a warning and run, in each language standard, unoptimised and optimised, with
# handles checked by clang, and as ThreadSanitizer has it, linked to one and the
# same library.
#
#   api.sh SOURCE SHARED-LIBRARY COMPILER LANGUAGE...
set -eu
source=$1
lib=$2
cc=$3
shift 3
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'

try() { # LANGUAGE FLAG...
	std=$1
	shift
	samples='api value multi alloc ref objects'
	case $std in
	*++*) suffix=cc samples="$samples quiet" ;;
	*) suffix=c ;;
	esac
	for sample in $samples; do
		case $sample in quiet) more='-Wold-style-cast -Wshadow' ;; *) more= ;; esac
		# shellcheck disable=SC2086  # words
		if ! "$cc" -std="$std" $warnings $more "$@" \
			-I"$source/include" \
			-I"$source/tests/support" \
			"$source/tests/build/api/$sample.$suffix" \
			"$lib" "-Wl,-rpath,${lib%/*}" -o "$dir/api" ||
			! "$dir/api"; then
			echo "failed: $cc -std=$std $*, $sample"
			exit 1
		fi
	done
}

for std in "$@"; do
	try "$std" -O0
	try "$std" -O2
done
try "$1" -Os -fPIC -fvisibility=hidden
try "$1" -O2 -DPERCPU__TSAN
case $cc in
clang*)
	try "$1" -O0 -DPERCPU_CHECK
	try "$1" -O2 -DPERCPU_CHECK
	;;
esac
