#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# percpu bench without time to measure anything ends, and gives no verdict.
import json
import subprocess
import sys

run = subprocess.run([sys.argv[1], 'bench', '--quick', '--seconds', '1e-6',
                      '--json'], capture_output=True, check=True)
seen = 0
for e in json.loads(run.stdout)['experiments'].values():
    for c in e['comparisons']:
        if 'skipped' in c:
            continue
        seen += 1
        if c['verdict'] != 'too_few_slices' or 'no verdict' not in c['says']:
            sys.exit(f'a verdict out of nothing: {c}')
        for r in c['ratios']:
            if r['met'] is not None or 'says' in r:
                sys.exit(f'a ratio out of nothing: {r}')
if seen == 0:
    sys.exit('nothing was compared')
