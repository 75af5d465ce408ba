#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# percpu bench --json: one document with every promised key, nothing else.
import json
import os
import subprocess
import sys

# In the order in which they run.
EXPERIMENTS = ['H1', 'H2', 'H3', 'H4', 'ops', 'alloc', 'counter', 'ref',
               'cache', 'rwlock', 'call']

WORDS = ['rotating_1_thread', 'same_word_1_thread', 'rotating_2_threads',
         'same_word_2_threads']
# experiment, ratios, the comparisons that have them
RATIOS = [
    ('ops', ['percpu_add_over_tls_inc', 'lock_add_own_over_percpu_add',
             'atomic_policy_over_lock_add_own'], WORDS),
    ('ops', ['percpu_add_return_over_tls', 'percpu_xchg_over_tls',
             'percpu_cmpxchg_over_tls'], ['value_1_thread', 'value_2_threads']),
    ('ops', ['block_2_over_one', 'block_4_over_one', 'block_8_over_one'],
     ['blocks_1_thread']),
    ('ops', ['growing_all_over_single', 'mixed_all_over_single'],
     ['anywhere_1_thread']),
    ('ref', ['ref_over_tls'], ['pairs_1_thread', 'pairs_2_threads']),
    ('ref', ['ref_over_add'], ['pairs_1_thread']),
    ('ref', ['word_over_ref'], ['pairs_2_threads']),
    ('ref', ['adaptive_over_ref'], ['pairs_2_threads', 'hundred_2_threads']),
    ('cache', ['cache_over_malloc', 'stack_over_cache'],
     ['items_1_thread', 'items_2_threads']),
    ('cache', ['across_cache_over_malloc'], ['items_across']),
    ('rwlock', ['posix_over_percpu'], ['readers_2_threads']),
    ('rwlock', ['writer_percpu_over_posix'], ['writer_1_thread']),
    ('call', ['call_over_mailbox'], ['awake']),
    ('call', ['call_over_cond', 'call_over_pipe'], ['asleep']),
    ('call', ['cond_over_async'], ['eight']),
    ('H2', ['straddling_over_aligned', 'straddling_over_library',
            'library_over_aligned'], ['sync', 'eight']),
    ('H2', ['straddling_over_aligned', 'aligned_over_none'],
     ['storm_1', 'storm_8']),
    ('alloc', ['percpu_over_calloc'],
     [f'pairs_{size}_{threads}' for size in (8, 64, 256)
      for threads in ('1_thread', '2_threads')]),
    ('counter', ['counter_add_over_tls_inc'],
     ['counter_1_thread', 'counter_2_threads']),
    ('counter', ['lock_add_shared_over_counter_add'], ['counter_2_threads']),
    ('counter', ['tree_add_over_counter_add'],
     ['tree_1_thread', 'tree_2_threads']),
    ('counter', ['counter_read_over_tree_read', 'tree_sum_over_tree_read'],
     ['tree_reads_1_thread']),
    ('H4', ['before_over_library', 'before_over_apart', 'apart_over_library'],
     [f'batch_{n}' for n in (1, 4, 8, 32, 64)]),
    ('H1', ['old_16_over_percpu', 'old_32_over_percpu', 'old_8_over_percpu'],
     ['copy_64', 'copy_1500', 'udp_64', 'udp_1400']),
    ('H3', ['atomic_over_percpu', 'atomic_over_table', 'table_over_offset',
            'table_over_percpu', 'percpu_over_offset', 'percpu_over_none'],
     [f'{what}_{length}' for what in ('device', 'routes')
      for length in (0, 256, 1500)]),
]
GOALS = {
    'lock_add_shared_over_counter_add': {'at_least': 6},
    'percpu_add_over_tls_inc': {'at_most': 2.3},
    'lock_add_own_over_percpu_add': {'at_least': 3.3},
    'atomic_policy_over_lock_add_own': {'at_most': 1.3},
    'percpu_add_return_over_tls': {'at_most': 3},
    'percpu_xchg_over_tls': {'at_most': 3},
    'percpu_cmpxchg_over_tls': {'at_most': 3},
    'percpu_over_calloc': {'at_most': 1.0},
    'ref_over_tls': {'at_most': 2.5},
    'ref_over_add': {'at_most': 1.3},
    'word_over_ref': {'at_least': 8},
    'adaptive_over_ref': {'at_most': 1.3},
    'cache_over_malloc': {'at_most': 0.6},
    'stack_over_cache': {'at_least': 3},
    'across_cache_over_malloc': {'at_most': 1},
    'posix_over_percpu': {'at_least': 10},
    'call_over_mailbox': {'at_most': 1.3},
    'call_over_cond': {'at_most': 1.0},
    'call_over_pipe': {'at_most': 1.0},
    'cond_over_async': {'at_least': 10},
}
# What holds for some of a ratio's comparisons.
GOALS_AT = {
    'atomic_over_percpu': {'device_0': {'at_least': 8.8},
                           'device_256': {'at_least': 2.15},
                           'device_1500': {'at_least': 1.13}},
    'before_over_library': {'batch_1': {'at_least': 1.02},
                            'batch_8': {'at_least': 1.37},
                            'batch_32': {'at_least': 1.4},
                            'batch_64': {'at_least': 2.03}},
}
TABLES = {
    'alloc': {'replay_percpu': (20, 5), 'replay_malloc': (20, 5),
              'payload': (1, 2), 'utilisation': (1, 3)},
    'H4': {'switches': (5, 3)},
    'counter': {'bounds': (3, 5)},
    'ref': {'idle': (1, 1), 'kill': (2, 1)},
}


def expect(what, holds):
    if not holds:
        sys.exit(f'does not hold: {what}')


def check_number(what, n):
    expect(f'{what} is null or above 0: {n}', n is None or n > 0)


def check_spread(what, s):
    for key in ('p10', 'median', 'p90'):
        check_number(f'{what} {key}', s[key])
    if s['median'] is not None:
        expect(f'{what} is in order', s['p10'] <= s['median'] <= s['p90'])


def check_comparison(c):
    what = f"{c['policy']} {c['key']}"
    expect(f'{what} did not fail', 'failed' not in c)
    if 'skipped' in c:
        return
    for v in c['variants']:
        check_spread(f"{what} {v['name']}", v['ns'])
        expect(f'{what} slices', v['slices']['kept'] <= v['slices']['tried'])
    expect(f'{what} has a control', len(c['controls']) > 0)
    for control in c['controls']:
        check_spread(f'{what} control', control['ratio'])
    for when in ('before', 'after'):
        check_number(f'{what} ping-pong', c['ping_pong_ns'][when])
    expect(f'{what} says what it means', c['says'])
    for r in c['ratios']:
        expect(f"{what} {r['key']} met only by a verdict",
               (r['met'] is None) ==
               (r['goal'] is None or c['verdict'] != 'measured'))


def check_ratio(e, key, place, cpus):
    measured = {c['key'] for c in e['comparisons'] if 'skipped' not in c}
    if place not in measured and (cpus < 2 or place.startswith('udp')):
        return
    r = e['ratios'][key][place]
    for number in ('ratio', 'p10', 'p90'):
        check_number(f'{key} {place} {number}', r[number])
    if key in GOALS:
        expect(f"{key}'s goal", r['goal'] == GOALS[key])
    if key in GOALS_AT:
        expect(f"{key}'s goal at {place}",
               r['goal'] == GOALS_AT[key].get(place))


def check_tables(tables, shapes):
    expect('every table', [t['key'] for t in tables] == list(shapes))
    for t in tables:
        rows, columns = shapes[t['key']]
        what = f"table {t['key']}"
        expect(f'{what}: {rows} rows', len(t['rows']) == rows)
        for row in t['rows'] + [{'name': 'goals', 'values': t['goals']}]:
            expect(f"{what}: {columns} values in {row['name']}",
                   len(row['values']) == columns == len(t['columns']))
            for n in row['values']:
                expect(f"{what} {row['name']}: {n} is null or not below 0",
                       n is None or n >= 0)


def main():
    run = subprocess.run([sys.argv[1], 'bench', '--quick', '--json',
                          *EXPERIMENTS], capture_output=True)
    cpus = len(os.sched_getaffinity(0))
    expect(f'exit status {run.returncode} is 0', run.returncode == 0)
    expect(f'standard error is empty: {run.stderr}', run.stderr == b'')
    d = json.loads(run.stdout)
    expect('format', d['format'] == 1 and d['quick'] is True)
    for key in ('cpu', 'kernel', 'nr_cpu_ids', 'backend', 'why', 'line_size'):
        expect(f'the machine has {key}', d['machine'][key])
    expect('the CPUs that are measured',
           len(d['machine']['measured_cpus']) == min(cpus, 2) and
           set(d['machine']['measured_cpus']) <= os.sched_getaffinity(0))
    expect('all experiments',
           list(d['experiments']) == EXPERIMENTS)
    for name, shapes in TABLES.items():
        check_tables(d['experiments'][name]['tables'], shapes)
    for e in d['experiments'].values():
        for c in e['comparisons']:
            check_comparison(c)
    for name, ratios, places in RATIOS:
        for key in ratios:
            for place in places:
                check_ratio(d['experiments'][name], key, place, cpus)


main()
