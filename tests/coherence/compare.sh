#!/bin/sh
# SPDX-License-Identifier: MIT
# The lines that each operation moves are those of the table that is kept.
#
#   compare.sh TOOL TABLE             print the table; fail where it differs
#   compare.sh TOOL TABLE --renew     keep what TOOL says now
#   compare.sh TOOL TABLE --json      print what TOOL says, for machines
set -eu
tool=$1
table=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

case ${3-} in
--json) exec "$tool" --json ;;
--renew)
	"$tool" >"$dir/table"
	cp "$dir/table" "$table"
	exit 0
	;;
esac

well=0
"$tool" >"$dir/table" || well=1
cat "$dir/table"
diff -u "$table" "$dir/table" || {
	echo "This is not what $table says; if it should be: make coherence-renew"
	well=1
}
exit $well
