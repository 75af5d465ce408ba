#!/bin/sh
# SPDX-License-Identifier: MIT
# The library builds, and its tests of modules and of handles pass, with other
# settings than the usual.
#
#   variants.sh SOURCE COMPILER NAME MESON-OPTION...
set -eu
source=$1
cc=$2
name=$3
shift 3
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
CC=$cc meson setup "$build" "$source" -Dwerror=true -Dcli=false \
	-Dtests=unit,platform,alloc "$@" >"$build.log" 2>&1 &&
	ninja -C "$build" -j2 >>"$build.log" 2>&1 &&
	meson test -C "$build" --no-rebuild --suite unit --suite alloc --num-processes 2 \
		--print-errorlogs >>"$build.log" 2>&1 ||
	{ echo "$name:"; tail -100 "$build.log"; rm -f "$build.log"; exit 1; }
grep '^Ok:' "$build.log"
rm -f "$build.log"
