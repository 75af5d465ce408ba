#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the kernel does not tell on which nodes pages are, as in containers, the
# test of nodes says so, and has found nothing wrong.
#
#   nodes-untold.sh REFUSE NODES
set -eu
for error in EPERM ENOSYS; do
	status=0
	said=$("$1" move_pages=$error -- "$2") || status=$?
	echo "$error: exit status $status: $said"
	case $status$said in
	'77skipped: move_pages: Operation not permitted') ;;
	'77skipped: move_pages: Function not implemented') ;;
	'77skipped: '*seccomp* | '77skipped: no slots of CPUs') exit 77 ;;
	*) exit 1 ;;
	esac
done
