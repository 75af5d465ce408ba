#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# percpu bench on one allowed CPU, which need not be 0: what takes two is
# skipped and said to be, the rest is measured there.
import json
import os
import subprocess
import sys

cpu = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
bench = [sys.argv[1], 'bench', '--quick', '--seconds', '0.01']

run = subprocess.run(bench + ['--json'], capture_output=True, check=True)
d = json.loads(run.stdout)
if d['machine']['measured_cpus'] != [cpu]:
    sys.exit(f"measured on {d['machine']['measured_cpus']}, not on {cpu}")
threads = set()
for e in d['experiments'].values():
    for c in e['comparisons']:
        threads.add(c['threads'])
        if ('skipped' in c) != (c['threads'] > 1):
            sys.exit(f'wrongly measured or skipped: {c}')
if threads != {1, 2}:
    sys.exit(f'comparisons with {threads} threads')

run = subprocess.run(bench + ['H1'], capture_output=True, check=True)
if run.stdout.count(b'skipped: it takes two CPUs') != 4:
    sys.exit(f'does not say what it skips: {run.stdout.decode()}')
