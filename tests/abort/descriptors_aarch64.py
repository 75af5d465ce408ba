# SPDX-License-Identifier: MIT
"""What descriptors.py looks for in AArch64 sections.

Just before the range the descriptor is armed: adrp and add make its address,
str stores it; just after it, str stores xzr. Stores have a base register and do
not change it; what a bin's section may write before its commit is as on x86-64.
"""
import re

LOADS = re.compile(r'ld(a?r[bh]?|p)$')
STORES = re.compile(r'st(r[bh]?|p)$')
REGISTERS = re.compile(r'(add|sub|madd|mov|eor|orr|ands?|lsl)$')
COMPARES = re.compile(r'(cmp|tst)$')
JUMPS = re.compile(r'(b\.[a-z]+|[ct]bn?z)$')

ITEM = '[x15, x16, lsl #3]'
COUNT = ['x16', '[x15]']
COMMIT_TO = '[x15]'
# To the caller, by a register that holds neither the slot nor the area.
RESULT = re.compile(r'str[bh]? [wx]1[67], \[(x\d+)\]$')
# A claim of a counter's slot tells where that is, and what was told.
CLAIM = re.compile(r'str (x15, \[(x\d+)|x16, \[(x\d+), #8)\]$')
SLOT = ['x15', 'x16', 'x17']
CPU_ID = re.compile(r'ldr w1[57], \[(x\d+), #4\]$')


class Instruction:
    def __init__(self, address, text):
        self.address = address
        self.text = ' '.join(text.partition('//')[0].split())
        self.mnemonic, _, operands = self.text.partition(' ')
        # A comma inside of [base, index] separates no operands.
        self.operands = re.split(r', (?![^\[]*\])', operands)
        target = re.search(r'\b([0-9a-f]+) <', operands)
        self.target = int(target.group(1), 16) if target else None

    def number(self):
        return int(self.operands[-1].lstrip('#'), 16)


def other_writes(inside):
    """What may be written before the commit: an item, a result, a claim."""
    area = next((m.group(1) for i in inside if (m := CPU_ID.match(i.text))), '')
    ours = [area, *SLOT]
    before = inside[:-1]
    for i in before:
        if i.operands[-1] == ITEM and STORES.match(i.mnemonic) and \
                inside[-1].operands == COUNT:
            return [i]
    claims = [i for i in before if (m := CLAIM.match(i.text)) and
              (m.group(2) or m.group(3)) not in ours]
    if len(claims) == 2:
        return claims
    return [i for i in before if (m := RESULT.match(i.text)) and
            m.group(1) not in ours][:1]


def check_inside(inside, start, end):
    """What is wrong with the instructions of [start, end)."""
    *before, commit = inside
    others = other_writes(inside)
    for i in before:
        if JUMPS.match(i.mnemonic):
            if i.target is None or start <= i.target < end:
                yield f'a jump stays inside: {i.text}'
        elif STORES.match(i.mnemonic):
            if i not in others:
                yield f'writes memory before the commit: {i.text}'
        elif not (LOADS.match(i.mnemonic) or REGISTERS.match(i.mnemonic) or
                  COMPARES.match(i.mnemonic)):
            yield f'an instruction that this test does not know: {i.text}'
    if not STORES.match(commit.mnemonic) or commit.operands[-1] != COMMIT_TO:
        yield f'the last instruction does not commit: {commit.text}'


def check_around(descriptor, before, after):
    """What is wrong with the arming before and the disarming after."""
    after = after[0]
    adrp, add, store = before[-3:]
    register = adrp.operands[0]
    if adrp.mnemonic != 'adrp' or add.mnemonic != 'add' or \
            add.operands[:2] != [register, register] or \
            adrp.target + add.number() != descriptor:
        yield f'the descriptor is not loaded before the range: {add.text}'
    if store.mnemonic != 'str' or store.operands[0] != register:
        yield f'the range does not follow the arming store: {store.text}'
    if after.mnemonic != 'str' or \
            after.operands != ['xzr', store.operands[-1]]:
        yield f'the range is not followed by the disarming store: {after.text}'
