#!/bin/sh
# SPDX-License-Identifier: MIT
# A project that builds the library inside itself, shared or static, gets the
# library alone, needs no other file of this tree, and runs.
#
#   subproject.sh SOURCE
set -eu
source=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

inner=$dir/subprojects/libpercpu
mkdir -p "$inner"
for part in meson.build meson_options.txt include src cmake; do
	cp -R "$source/$part" "$inner/"
done
cp "$source/tests/build/example.c" "$dir/"
cat >"$dir/meson.build" <<'END'
project('host', 'c', default_options: 'c_std=gnu11')
percpu = dependency('libpercpu', version: '>= 0.1', fallback: 'libpercpu')
test('example', executable('example', 'example.c', dependencies: percpu))
END

for kind in shared static; do
	if ! { meson setup "$dir/$kind" "$dir" --wrap-mode=forcefallback \
		-Ddefault_library=$kind &&
		meson test -C "$dir/$kind"; } >"$dir/log" 2>&1; then
		echo "$kind:"
		cat "$dir/log"
		exit 1
	fi
done
[ ! -e "$dir/shared/subprojects/libpercpu/tests" ] ||
	{ echo "the tests are built too"; exit 1; }
