#!/bin/sh
# SPDX-License-Identifier: MIT
# In the memory model of C++ a scene ends as it must, in every order with few
# changes of threads; each variant that is broken on purpose has one that does
# not.
#
#   run.sh SCENE.cc [BOUND]
set -eu
cxx=${CXX:-c++}
bound=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v "$cxx" >/dev/null || { echo "skipped: no compiler of C++"; exit 77; }
[ -e /usr/include/relacy/relacy.hpp ] || { echo "skipped: no relacy"; exit 77; }
"$cxx" -O1 -w -std=c++11 "-DBOUND=$bound" "$1" -o "$dir/scene"
"$dir/scene"
