#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A mutant is this project with one rule broken. It must build, and the test
that watches over the rule, which passes without the change, must fail on it.

  run.py SOURCE BUILD TREES MUTANT

SOURCE is the project, BUILD its build directory, TREES a directory for two
copies of the project, each with a build directory of its own, in which nothing
is built but what tests need: two mutants may run at a time, and the next two
take the copies over. MUTANT is a file of lines:

  # which rule is broken
  file: PATH          the file to change
  sed: EXPRESSION     how; one or more lines
  test: NAME          the test of Meson's that must then fail
  suite: NAME         optional: of this suite, where others have that name
  hangs: yes          optional: it may also hang
  cross: PATH         optional: a cross file; the test is one of suite vm then

Most of the time would go into compilers: a header that is in every object is
broken, and then whole again. So what the test needs is built from whole sources
first and kept aside; what the mutant built anew is put back from there, with
the times that files had, and ninja finds nothing to do.

  whole sources      -> ninja -> keep BUILD aside
  one file is broken -> ninja -> the test, until it fails
  BUILD and the file as they were kept
"""
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

PARTS = ["meson.build", "meson_options.txt", "include", "src", "cli", "cmake",
         "man", "tests"]

# A test that waits for the kernel to interrupt a sequence at one instruction
# may miss it once: some more goes, all of which a mutant must get through.
GOES = 8

# A test hangs that takes this many times what it takes without the change, and
# so many seconds.
PATIENCE = 5
HANGS = 1


def files_of(top, parts=None):
    """Path below TOP -> what tells a file from a later one of that name."""
    found = {}
    directories = [top] if parts is None else []
    for path in (os.path.join(top, part) for part in parts or []):
        if os.path.isdir(path):
            directories.append(path)
        elif os.path.exists(path):
            found[os.path.relpath(path, top)] = identity(path)
    while directories:
        with os.scandir(directories.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.path)
                else:
                    found[entry.path[len(top) + 1:]] = identity(entry.path)
    return found


def identity(path):
    status = os.lstat(path)
    return [status.st_mtime_ns, status.st_size]


def replace(origin, path):
    """Make PATH what ORIGIN is, its time included."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.remove(path)
    shutil.copy2(origin, path, follow_symlinks=False)


def mirror(origin, target):
    """Make all of TARGET what ORIGIN is; copy what differs."""
    os.makedirs(target, exist_ok=True)
    want, have = files_of(origin), files_of(target)
    for path in have.keys() - want.keys():
        os.remove(os.path.join(target, path))
    for path, what in want.items():
        if have.get(path) != what:
            replace(os.path.join(origin, path), os.path.join(target, path))


def run(command, log, limit=None, **options):
    """The exit status, or None after LIMIT seconds, when it is killed."""
    log.flush()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                          stderr=log, start_new_session=True,
                          **options) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


class Tree:
    """A copy of the sources with its build directory, for one at a time."""

    def __init__(self, trees, source):
        os.makedirs(trees, exist_ok=True)
        for n in "12":
            self.lock = open(os.path.join(trees, n + ".lock"), "w")
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                pass
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.source = source
        self.top = os.path.join(trees, n)
        # It is there as long as the copy is not to be relied upon.
        self.changing = self.top + ".changing"
        self.known = self.top + ".known"
        if os.path.exists(self.changing):
            shutil.rmtree(self.top, ignore_errors=True)
        if os.path.exists(self.known) and not os.path.exists(self.top):
            os.remove(self.known)

    def begin(self, wanted):
        """Bring what differs; a file that is the same keeps its time."""
        open(self.changing, "w").close()
        known = {}
        if os.path.exists(self.known):
            with open(self.known) as lines:
                known = json.load(lines)
        for path in known.keys() - wanted.keys():
            os.remove(os.path.join(self.top, path))
        for path, what in wanted.items():
            if known.get(path) != what:
                copy = os.path.join(self.top, path)
                replace(os.path.join(self.source, path), copy)
                os.utime(copy)
        if known != wanted:
            with open(self.known, "w") as lines:
                json.dump(wanted, lines)

    def end(self):
        os.remove(self.changing)


class Mutant:
    def __init__(self, path):
        with open(path) as lines:
            self.lines = [line.rstrip("\n") for line in lines]
        self.file = self.field("file")[0]
        self.sed = "\n".join(self.field("sed")) + "\n"
        self.test = self.field("test")[0]
        self.suite = (self.field("suite") + [None])[0]
        self.hangs = self.field("hangs") == ["yes"]
        self.cross = (self.field("cross") + [None])[0]
        self.rule = "\n".join(line[2:] for line in self.lines
                              if line.startswith("# ") and "SPDX" not in line)

    def field(self, name):
        return [line[len(name) + 2:] for line in self.lines
                if line.startswith(name + ": ")]

    def change(self, path):
        subprocess.run(["sed", "-i", self.sed, path], check=True)


class Tests:
    """Those of a build directory, and what must be built for them."""

    def __init__(self, build, mutant):
        self.build = build
        self.tests = [test for test in self.told("tests")
                      if test["name"] == mutant.test and (
                          mutant.suite is None or any(
                              suite.split(":")[-1] == mutant.suite
                              for suite in test["suite"]))]
        if len(self.tests) != 1:
            sys.exit(f"{len(self.tests)} tests have the name {mutant.test}")
        self.test = self.tests[0]
        names = {target["id"]: target["filename"]
                 for target in self.told("targets")}
        self.targets = [os.path.relpath(name, build)
                        for target in self.test["depends"]
                        for name in names[target]]

    def told(self, what):
        with open(f"{self.build}/meson-info/intro-{what}.json") as told:
            return json.load(told)

    def make(self, log):
        return run(["ninja", "-C", self.build] + self.targets, log) == 0

    def ended(self, log, limit):
        status = run(self.test["cmd"], log, limit, cwd=self.build,
                     env=dict(os.environ, **self.test["env"]))
        return {None: "hung", 0: "passed", 77: "skipped"}.get(status, "failed")

    def passed_already(self, newest):
        """How long it took in the run that this is a part of, if it passed."""
        full = f'{self.test["suite"][0]} / {self.test["name"]}'
        start = '{"name": ' + json.dumps(full) + ","
        try:
            with open(f"{self.build}/meson-logs/testlog.json") as lines:
                for line in lines:
                    if line.startswith(start) and line.endswith("}\n"):
                        told = json.loads(line)
                        if (told["result"] == "OK"
                                and told["starttime"] > newest):
                            return told["duration"]
        except FileNotFoundError:
            pass
        return None


def control(tests, wanted, trees, log):
    """What the test takes without the change, once for all that name it."""
    name = " ".join([hashlib.sha1(json.dumps(
        wanted, sort_keys=True).encode()).hexdigest(),
        tests.build, *tests.test["suite"], tests.test["name"]])
    controls = os.path.join(trees, "controls")
    if os.path.exists(controls):
        with open(controls) as lines:
            for line in lines:
                seconds, known = line.rstrip("\n").split(" ", 1)
                if known == name:
                    return float(seconds)
    seconds = tests.passed_already(max(w[0] for w in wanted.values()) / 1e9)
    if seconds is None:
        start = time.monotonic()
        how = tests.ended(log, tests.test["timeout"])
        seconds = time.monotonic() - start
        if how == "skipped":
            print(f"{tests.test['name']} was skipped")
            sys.exit(77)
        if how != "passed":
            sys.exit(f"without the mutant, {tests.test['name']}: {how}")
    with open(controls, "a") as lines:
        lines.write(f"{seconds} {name}\n")
    return seconds


def found(mutant, tests, seconds, log):
    """Whether a broken build is seen, how, and at which go."""
    limit = tests.test["timeout"]
    if mutant.hangs:
        limit = min(limit, max(HANGS, PATIENCE * seconds))
    if not tests.make(log):
        return False, "not built", 0
    for go in range(1, GOES + 1):
        how = tests.ended(log, limit)
        if how == "failed" or (how == "hung" and mutant.hangs):
            return True, how, go
        if how != "passed":
            return False, how, go
    return False, how, go


def set_up(tree, build, cross, log):
    """The build directory of mutants, made when it is first needed."""
    if os.path.exists(os.path.join(build, "build.ninja")):
        return
    options = ["-Doptimization=1", "-Ddebug=false"]
    if cross:
        options += ["--cross-file", os.path.join(tree.top, cross),
                    "-Dtests=vm", "-Dcli=false"]
    if run(["meson", "setup", *options, build, tree.top], log) != 0:
        sys.exit("no build directory")


def try_mutant(mutant, tree, whole, log):
    source, build, trees, wanted = whole
    suffix = ""
    if mutant.cross:
        suffix = "-" + os.path.basename(mutant.cross).removesuffix(".ini")
    broken = os.path.join(tree.top, "build" + suffix)
    kept = os.path.join(tree.top, "kept" + suffix)
    tree.begin(wanted)
    set_up(tree, broken, mutant.cross, log)
    tests = Tests(broken, mutant)
    if not tests.make(log):
        sys.exit("without the mutant, what the test needs is not built")
    tests = Tests(broken, mutant)
    seconds = control(tests if mutant.cross else Tests(build, mutant), wanted,
                      trees, log)
    mirror(broken, kept)
    path = os.path.join(tree.top, mutant.file)
    replace(path, os.path.join(tree.top, "whole"))
    mutant.change(path)
    os.utime(path)
    with open(path, "rb") as now, open(
            os.path.join(source, mutant.file), "rb") as was:
        changed = now.read() != was.read()
    result = (found(mutant, tests, seconds, log) if changed
              else (False, f"nothing changes in {mutant.file}", 0))
    replace(os.path.join(tree.top, "whole"), path)
    mirror(kept, broken)
    tree.end()
    return result


def main():
    source, build, trees, path = sys.argv[1:]
    mutant = Mutant(path)
    tree = Tree(trees, source)
    whole = source, build, trees, files_of(source, PARTS)
    name = os.path.join(trees, os.path.basename(path) + ".log")
    with open(name, "w") as log:
        try:
            result, how, go = try_mutant(mutant, tree, whole, log)
        except SystemExit as end:
            result, how, go = False, end.code, 0
    if how == 77:
        return 77
    print(mutant.rule)
    print(f"{mutant.test}: {how}, go {go}")
    if not result:
        with open(name, errors="replace") as log:
            print(log.read())
    return 0 if result else 1


sys.exit(main())
