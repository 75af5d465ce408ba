#!/bin/sh
# SPDX-License-Identifier: MIT
# fake-sys.sh PATH=TEXT... -- COMMAND...
# Runs COMMAND where, one PATH after the other, file PATH reads TEXT, directory
# PATH is empty, or PATH is a new file in a directory that was made empty.
# Exit 77 if this user may not mount, COMMAND's status otherwise.
set -u

if [ "${FAKE_SYS:-}" != inside ]; then
	who=
	[ "$(id -u)" = 0 ] || who=-Ur
	unshare $who -m true 2>/dev/null || { echo "cannot unshare"; exit 77; }
	FAKE_SYS=inside exec unshare $who -m sh "$0" "$@"
fi
unset FAKE_SYS

replace() # FILE TEXT
{
	text=$(mktemp) &&
	printf '%s\n' "$2" >"$text" &&
	mount --bind "$text" "$1" &&
	rm "$text"
}

create() # FILE TEXT
{
	mkdir -p "$(dirname "$1")" &&
	printf '%s\n' "$2" >"$1"
}

while [ "$1" != -- ]; do
	path=${1%%=*}
	if [ -d "$path" ]; then
		mount -t tmpfs -o size=256k none "$path"
	elif [ -e "$path" ]; then
		replace "$path" "${1#*=}"
	else
		create "$path" "${1#*=}"
	fi || { echo "cannot fake $path"; exit 77; }
	shift
done
shift
# For a program of another machine, Meson names the emulator.
# shellcheck disable=SC2086  # words
exec ${MESON_EXE_WRAPPER:-} "$@"
