#!/bin/sh
# SPDX-License-Identifier: MIT
# Totals are exact on another architecture, in an emulator without sequences.
# usage: aarch64.sh SOURCE_ROOT
set -eu

root=$1
cc=aarch64-linux-gnu-gcc
qemu="qemu-aarch64"
command -v $cc >/dev/null || { echo "skipped: no $cc"; exit 77; }
command -v $qemu >/dev/null || { echo "skipped: no $qemu"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# shellcheck disable=SC2046
$cc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -static -pthread \
	-I"$root/include" -I"$root/tests/support" -o "$dir/totals" \
	"$root"/tests/exact/totals.c "$root"/tests/exact/stress.c \
	"$root"/tests/exact/stress_ops.c \
	$(find "$root/src" -name '*.c' ! -name area_own.c)
$qemu "$dir/totals" -n 1000 atomic
PERCPU_BACKEND=shared $qemu "$dir/totals" -n 1000 shared
