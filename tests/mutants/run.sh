#!/bin/sh
# SPDX-License-Identifier: MIT
# A mutant is this project with one rule broken. It must build, and the test
# that watches over the rule, which passes without the change, must fail on it.
#
#   run.sh SOURCE BUILD TREES MUTANT
#
# SOURCE is the project, BUILD its build directory, TREES a directory for two
# copies of the project, each with a build directory of its own, in which
# nothing is built but what tests need: two mutants may run at a time, and the
# next two take the copies over. MUTANT is a file of lines:
#
#   # which rule is broken
#   file: PATH          the file to change
#   sed: EXPRESSION     how; one or more lines
#   test: NAME          the test of Meson's that must then fail
#   suite: NAME         optional: of this suite, where others have that name
#   hangs: FACTOR       optional: it may also hang, for so many times its limit
#   cross: PATH         optional: a cross file; the test is one of suite vm then
set -eu

source=$1
build=$2
trees=$3
mutant=$4

field() {
	sed -n "s/^$1: //p" "$mutant"
}

# The build directory of mutants, made when it is first needed.
set_up() {
	[ ! -e "$broken/build.ninja" ] || return 0
	meson setup -Doptimization=1 -Ddebug=false \
		${cross:+--cross-file "$tree/$cross" -Dtests=vm -Dcli=false} \
		"$broken" "$tree" >"$log" 2>&1 || { cat "$log"; exit 1; }
}

# sums DIRECTORY: a line for every file that may have a part in a test.
sums() {
	(cd "$1" && find meson.build meson_options.txt include src cli cmake \
		man tests -type f 2>/dev/null | LC_ALL=C sort | xargs -r cksum)
}

# Bring what differs; a file that is the same keeps its time, so that ninja
# builds again what a mutant before this one changed, and nothing else.
copy() {
	mkdir -p "$tree"
	sums "$tree" >"$tree.sums"
	echo "$wanted" | grep -vxFf "$tree.sums" | while read -r _ _ path; do
		mkdir -p "$tree/$(dirname "$path")"
		cp "$source/$path" "$tree/$path"
		chmod --reference="$source/$path" "$tree/$path"
	done
}

# ended BUILD [OPTION]...: run the test; says how it ended. Output is in $log.
ended() {
	meson test -C "$@" --logbase mutant ${suite:+--suite "$suite"} \
		"$test" >"$log" 2>&1 || true
	if grep -q '^Fail: *[1-9]' "$log"; then
		echo failed
	elif grep -q '^Timeout: *[1-9]' "$log"; then
		echo hung
	elif grep -q '^Skipped: *[1-9]' "$log"; then
		echo skipped
	elif grep -q '^Ok: *[1-9]' "$log"; then
		echo passed
	else
		echo 'not built or not found'
	fi
}

# The test without the change, once for all mutants that name it.
control() {
	version="$(echo "$wanted" | cksum) $suite $test"
	grep -sqxF "$version" "$trees/controls" && return
	if [ -n "$cross" ]; then
		copy
		set_up
		how=$(ended "$broken")
	else
		how=$(ended "$build" --no-rebuild)
	fi
	case $how in
	passed) echo "$version" >>"$trees/controls" ;;
	skipped) echo "$test was skipped"; exit 77 ;;
	*) cat "$log"; echo "without the mutant, $test: $how"; exit 1 ;;
	esac
}

change() {
	field sed >"$tree/expressions.sed"
	sed -i -f "$tree/expressions.sed" "$tree/$file"
	if cmp -s "$source/$file" "$tree/$file"; then
		echo "$mutant changes nothing in $file"
		exit 1
	fi
}

# One mutant at a time for each tree.
mkdir -p "$trees"
for n in 1 2; do
	exec 9>"$trees/$n.lock"
	! flock -n 9 || break
done
flock 9
tree=$trees/$n

file=$(field file)
test=$(field test)
suite=$(field suite)
hangs=$(field hangs)
cross=$(field cross)
broken=$tree/build${cross:+-$(basename "$cross" .ini)}
log=$trees/$(basename "$mutant").log
wanted=$(sums "$source")

control
copy
set_up
trap 'cp "$source/$file" "$tree/$file"' EXIT
# A test that waits for the kernel to interrupt a sequence at one instruction
# may miss it once: some more goes, all of which a mutant must get through.
found() {
	for go in 1 2 3 4 5 6 7 8; do
		how=$(ended "$broken" -t "${hangs:-1}")
		case $how${hangs:+ expected} in
		failed* | 'hung expected') return 0 ;;
		passed*) ;;
		*) return 1 ;;
		esac
	done
	return 1
}

change
result=0
found || result=1
sed -n '/SPDX/d; s/^# //p' "$mutant"
echo "$test: $how, go $go"
[ "$result" -eq 0 ] || cat "$log"
exit "$result"
