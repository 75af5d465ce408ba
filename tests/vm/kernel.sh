#!/bin/sh
# SPDX-License-Identifier: MIT
# The distribution's own kernel for virtual machines, from its package, which is
# not installed but unpacked into a directory. Prints the path; exit 77 if the
# package cannot be had.
#
#   kernel.sh DIRECTORY [METAPACKAGE]
set -eu
dir=$1
meta=${2:-linux-image-cloud-amd64}

none() {
	echo "skipped: no kernel for virtual machines: $*" >&2
	exit 77
}

mkdir -p "$dir"
# Tests that run at the same time fetch it once.
exec 9>"$dir/$meta.lock"
flock 9
kernel=$dir/$meta
if [ ! -e "$kernel" ]; then
	command -v apt-get >/dev/null || none 'this is no Debian'
	package=$(apt-cache depends --no-recommends --no-suggests "$meta" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
	[ -n "$package" ] || none "apt knows no $meta (apt-get update?)"
	unpacked=$(mktemp -d "$dir/unpacked.XXXXXX")
	trap 'rm -rf "$unpacked"' EXIT
	(cd "$unpacked" && timeout 300 apt-get download -q "$package" \
		>log 2>&1) || none "$(tail -n 1 "$unpacked/log")"
	for deb in "$unpacked"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$unpacked" ./boot
	done
	mv "$unpacked/boot/vmlinuz-${package#linux-image-}" "$kernel"
fi
echo "$kernel"
