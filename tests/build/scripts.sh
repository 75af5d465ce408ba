#!/bin/sh
# SPDX-License-Identifier: MIT
# ShellCheck has nothing to warn of in any script.
#
#   scripts.sh SOURCE
set -eu
cd "$1"
git ls-files >/dev/null 2>&1 || { echo "skipped: not a checkout"; exit 77; }
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
git ls-files | xargs grep -lE '^#!.*\<(ba)?sh$' | xargs shellcheck \
	-S warning -x -P SCRIPTDIR
