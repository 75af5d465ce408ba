#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header compiles alone, as C11, C17 and C++17, without a warning.
#
#   headers.sh SOURCE COMPILER LANGUAGE...
set -eu
include=$1/include
cc=$2
shift 2
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror'

count=0
for header in $(cd "$include" && find . -name '*.h' | sed 's|^\./||' | sort); do
	case $header in
	percpu/ops_c.h | percpu/ops_cxx.h | percpu/multi_c.h | percpu/multi_cxx.h | \
		percpu/arch/*) continue ;;
	esac
	others=yes
	case $header in percpu/kernel/*) others= ;; esac # kernel.h has them
	for std in "$@"; do
		for flags in -O2 ${others:+-O0 '-O2 -DPERCPU_CHECK' '-O2 -DPERCPU__TSAN'}; do
			case $std in
			*++*) lang=c++ more='-Wold-style-cast -Wshadow' ;;
			*) lang=c more='-Wshadow' ;;
			esac
			# shellcheck disable=SC2086  # words
			echo "#include <$header>" | "$cc" -x $lang -std="$std" \
				$warnings $more $flags -I"$include" -c -o /dev/null - ||
				{ echo "$header, $std, $flags"; exit 1; }
			count=$((count + 1))
		done
	done
done
echo "$count compilations"
[ "$count" -gt 0 ]
