#!/bin/sh
# SPDX-License-Identifier: MIT
# fake-sys.sh PATH=TEXT... -- COMMAND...
# Runs COMMAND where file PATH reads TEXT, or where directory PATH is empty.
# Exit 77 if this user may not mount, COMMAND's status otherwise.
set -u

if [ "${FAKE_SYS:-}" != inside ]; then
	who=
	[ "$(id -u)" = 0 ] || who=-Ur
	unshare $who -m true 2>/dev/null || { echo "cannot unshare"; exit 77; }
	FAKE_SYS=inside exec unshare $who -m sh "$0" "$@"
fi
unset FAKE_SYS

fake() # PATH TEXT
{
	if [ -d "$1" ]; then
		mount -t tmpfs -o size=4k none "$1"
		return
	fi
	file=$(mktemp) &&
	printf '%s\n' "$2" >"$file" &&
	mount --bind "$file" "$1" &&
	rm "$file"
}

# Directories last: one of them may hold what the others need.
dirs=
while [ "$1" != -- ]; do
	path=${1%%=*}
	if [ -d "$path" ]; then
		dirs="$dirs $path"
	else
		fake "$path" "${1#*=}" || exit 77
	fi
	shift
done
shift
for path in $dirs; do
	fake "$path" '' || exit 77
done
exec "$@"
