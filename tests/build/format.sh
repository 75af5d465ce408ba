#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources are laid out as clang-format 14 has it; other versions differ.
#
#   format.sh SOURCE
set -eu
cd "$1"
git ls-files >/dev/null 2>&1 || { echo "skipped: not a checkout"; exit 77; }
clang-format --version 2>/dev/null | grep -q 'version 14\.' ||
	{ echo "skipped: no clang-format 14"; exit 77; }
git ls-files '*.c' '*.h' '*.cc' | xargs clang-format --dry-run -Werror
