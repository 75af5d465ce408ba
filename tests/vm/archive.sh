#!/bin/sh
# SPDX-License-Identifier: MIT
# A configuration of apt's for another suite or architecture, by which packages
# are fetched that are only unpacked: made of the system's, from the same
# mirror; the system's own is not touched. Prints the file, for `apt-get -c`;
# exit 77 if the suite cannot be had.
#
#   archive.sh DIRECTORY SUITE ARCHITECTURE
#
# Its lists are fetched once for a DIRECTORY.
set -eu
mkdir -p "$1/$2-$3"
dir=$(cd "$1/$2-$3" && pwd)
suite=$2
arch=$3
keys=/usr/share/keyrings/debian-archive-keyring.gpg

none() {
	echo "skipped: nothing of $suite for $arch: $*" >&2
	exit 77
}

# The first suite that is a release, and neither updates nor another vendor's.
# shellcheck disable=SC2016  # apt's words
mirror() {
	apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(LABEL)' \
		'Created-By: Packages' |
		awk '$1 !~ /[-\/]/ && $3 ~ /^(Debian|[$].*|)$/ { print $2; exit }'
}

configure() {
	cat >"$dir/apt.conf" <<-EOF
		#clear APT::Architectures;
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "$dir/none";
		Dir::Etc::preferences "$dir/none/preferences";
		Dir::Etc::preferencesparts "$dir/none";
		Dir::State "$dir/state";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		APT::Sandbox::User "";
	EOF
}

command -v apt-get >/dev/null || none 'this is no Debian'
# Tests that run at the same time fetch them once.
exec 9>"$dir/lock"
flock 9
if [ ! -e "$dir/complete" ]; then
	from=$(mirror)
	[ -n "$from" ] || none 'apt names no mirror of Debian'
	signed=
	[ ! -e $keys ] || signed="signed-by=$keys"
	mkdir -p "$dir/none" "$dir/state/lists/partial" \
		"$dir/cache/archives/partial"
	: >"$dir/status"
	echo "deb [arch=$arch $signed] $from $suite main" >"$dir/sources.list"
	configure
	timeout 300 apt-get -c "$dir/apt.conf" update -q --error-on=any \
		>"$dir/log" 2>&1 || none "$(tail -n 1 "$dir/log")"
	: >"$dir/complete"
fi
echo "$dir/apt.conf"
