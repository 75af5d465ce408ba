#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's kernel for virtual machines, from its package, which is not installed
# but unpacked into a directory. Prints the path; exit 77 if the package cannot
# be had.
#
#   kernel.sh DIRECTORY [SUITE [ARCHITECTURE]]
#
# SUITE is a release's name, or - for what apt has on this system; ARCHITECTURE
# is Debian's name for it, amd64.
set -eu
dir=$1
suite=${2:--}
arch=${3:-amd64}
meta=linux-image-cloud-$arch

none() {
	echo "skipped: no kernel for virtual machines: $*" >&2
	exit 77
}

codename() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
}

# needs PREFIX PACKAGE [OPTION]...: the package, with that prefix, which PACKAGE
# depends on.
needs() {
	prefix=$1
	of=$2
	shift 2
	apt-cache "$@" depends --no-recommends --no-suggests "$of" \
		2>/dev/null | sed -n "s/^ *Depends: \($prefix.*\)/\1/p" |
		head -n 1
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
kernel=$dir/$meta
[ "$suite" = - ] || kernel=$kernel-$suite
# Tests that run at the same time fetch it once.
exec 9>"$kernel.lock"
flock 9
if [ ! -e "$kernel" ]; then
	command -v apt-get >/dev/null || none 'this is no Debian'
	set --
	if [ "$suite$arch" != -amd64 ]; then
		[ "$suite" != - ] || suite=$(codename)
		set -- -c "$("$(dirname "$0")/archive.sh" "$dir" "$suite" "$arch")"
	fi
	package=$(needs linux-image- "$meta" "$@")
	[ -n "$package" ] || none "apt knows no $meta (apt-get update?)"
	# Since 2026 the kernel itself is apart from the package that installs it.
	binary=$(needs linux-binary- "$package" "$@")
	unpacked=$(mktemp -d "$dir/unpacked.XXXXXX")
	trap 'rm -rf "$unpacked"' EXIT
	(cd "$unpacked" && timeout 300 apt-get "$@" download -q \
		"${binary:-$package}" >log 2>&1) ||
		none "$(tail -n 1 "$unpacked/log")"
	dpkg-deb --fsys-tarfile "$unpacked"/*.deb |
		tar -x -C "$unpacked" --wildcards '*/vmlinuz*'
	mv "$(find "$unpacked" -name 'vmlinuz*' -type f)" "$kernel"
fi
echo "$kernel"
