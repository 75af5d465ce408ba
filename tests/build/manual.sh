#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are well formed, and percpu.1 names each command and each
# long option that the command itself explains.
#
#   manual.sh SOURCE PERCPU
set -eu
man=$1/man
percpu=$2

page=$(sed 's/\\-/-/g; s/Fl -/Fl --/g' "$man/percpu.1")
commands=$("$percpu" --help | sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p')
[ -n "$commands" ]
for command in $commands; do
	echo "$page" | grep -q "Cm $command" ||
		{ echo "percpu.1 has no command $command"; exit 1; }
	options=$("$percpu" "$command" --help | grep -o '^ *--[a-z-]*')
	for option in $options; do
		echo "$page" | grep -qE "Fl $option( |\$)" ||
			{ echo "percpu.1: no $command $option"; exit 1; }
	done
done

command -v mandoc >/dev/null || { echo "skipped: no mandoc"; exit 77; }
for page in "$man"/*.[1-9]; do
	mandoc -T lint -W warning "$page"
done
