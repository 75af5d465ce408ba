#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every restartable section in built files is well formed.

Usage: descriptors.py [--none-is-fine] FILE...

For each descriptor in section __rseq_cs, with the disassembly of its code:
  - version and flags are 0, the range is not empty, its ends are instructions;
  - the abort handler is outside of the range, in executable memory, and the
    four bytes before it are the signature that libc registers;
  - just before the range the descriptor is armed: a lea of its address and a
    store of it; just after it a 0 is stored, or another descriptor
    (so on x86-64; descriptors_aarch64.py has what differs there);
  - inside, only the last instruction writes memory, none is unknown to this
    script, and jumps leave the range. A section that commits the count of a bin
    or stack may write one thing before: the item beyond that count, or the item
    popped, to its caller; one that has a result may write that to its caller;
    and a section of several adds stores each of them just after a subtraction
    from a register, which tells the abort handler of it.
Exit status: 0 well formed, 1 not, 77 no objdump or another machine's file.
"""
import collections
import re
import shutil
import struct
import subprocess
import sys

import descriptors_aarch64 as aarch64

# Instructions that may be in a section; the commit is the last of it.
LOADS_AND_REGISTERS = re.compile(
    r'((mov|movz[bw]|add|sub|inc|imul|lea|xor|and|or)[bwlq]?|'
    r'v?(movdqa|paddq)(64)?)$')
COMPARES = re.compile(r'(cmp|test)[bwlq]?$')
JUMPS = re.compile(r'j[a-z]+$')
COMMITS = re.compile(r'((mov|add|and|or|xor)[bwlq]?|v?movdqa(64)?)$')
COUNTS = re.compile(r'sub +\$0x[0-9a-f]+,%(r\d+d|e\w\w)$')

ITEM = re.compile(r'0x8\(%rax,%r\w+,8\)$')
RESULT = re.compile(r'mov +%[er]?c[lx],\((?!%rax)%r\w+\)$')
# A claim of a counter's slot tells where that is, and what was told.
CLAIM = re.compile(r'mov +(%rax,|%rcx,0x8)\((?!%rax)%r\w+\)$')
COMMITS_CLAIM = re.compile(r'mov +%rcx,0x8\(%rax\)$')
COMMITS_COUNT = re.compile(r'mov +%rcx,\(%rax\)$')


class Elf:
    """Sections and the values that the dynamic linker will put into them."""

    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as f:
            self.data = f.read()
        self.machine = MACHINES.get(self.number('<H', 18))
        if self.data[:6] != b'\x7fELF\x02\x01' or self.machine is None:
            print(f'skipped: {path} is a program of another kind')
            sys.exit(77)
        self.sections = list(self.read_sections())
        self.relative = dict(self.read_relative())

    def number(self, form, offset):
        return struct.unpack_from(form, self.data, offset)[0]

    def read_sections(self):
        offset = self.number('<Q', 40)
        size, count, names = struct.unpack_from('<HHH', self.data, 58)
        heads = [struct.unpack_from('<IIQQQQIIQQ', self.data, offset + i * size)
                 for i in range(count)]
        for h in heads:
            at = heads[names][4] + h[0]
            name = self.data[at:self.data.index(b'\0', at)].decode()
            yield name, h[1], h[2], h[3], h[4], h[5]

    def read_relative(self):
        """address -> value, from the relocations of type RELA (4)."""
        for _, kind, _, _, offset, size in self.sections:
            for at in range(offset, offset + size if kind == 4 else 0, 24):
                where, info, addend = struct.unpack_from('<QQq', self.data, at)
                if info & 0xffffffff == self.machine.relative:
                    yield where, addend

    def section_of(self, address):
        for s in self.sections:
            if s[2] & 2 and s[3] <= address < s[3] + s[5] and s[1] != 8:
                return s
        return None

    def word(self, form, address):
        if address in self.relative:
            return self.relative[address]
        _, _, _, start, offset, _ = self.section_of(address)
        return self.number(form, offset + address - start)

    def descriptors(self):
        for name, _, _, address, _, size in self.sections:
            if name == '__rseq_cs':
                yield from range(address, address + size, 32)


class Instruction:
    def __init__(self, address, text):
        self.address = address
        text, _, comment = text.partition('#')
        self.mnemonic, _, operands = text.strip().partition(' ')
        # A comma inside of (base,index,scale) separates no operands.
        self.operands = re.split(r',(?![^(]*\))', operands.strip())
        target = re.search(r'([0-9a-f]+)', comment or operands)
        self.target = int(target.group(1), 16) if target else None
        self.text = text.strip()

    def in_memory(self):
        last = self.operands[-1]
        return '(' in last or last.startswith('%fs:')

    def writes_memory(self):
        if COMPARES.match(self.mnemonic) or JUMPS.match(self.mnemonic):
            return False
        return self.in_memory()


def disassemble(elf):
    name = next(filter(shutil.which, elf.machine.objdump), None)
    if name is None:
        print('skipped: no objdump')
        sys.exit(77)
    out = subprocess.run([name, '-d', '-w', '--no-show-raw-insn', elf.path],
                         capture_output=True, text=True, check=True).stdout
    found = re.findall(r'^ *([0-9a-f]+):\t(.*)$', out, re.M)
    return [elf.machine.instruction(int(a, 16), t) for a, t in found]


def other_writes(inside):
    """The writes that are not the commit, of an item, a result or a claim."""
    *before, commit = inside
    if COMMITS_CLAIM.match(commit.text):
        return [i for i in before if CLAIM.match(i.text)]
    if COMMITS_COUNT.match(commit.text):
        for load, i in zip(inside, inside[1:]):
            if ITEM.match(i.operands[-1]) and i.writes_memory():
                return [i]
            if ITEM.match(load.operands[0]) and \
                    i.operands[0] == load.operands[-1] == '%rdx':
                return [i]
    return [i for i in before if RESULT.match(i.text)][:1]


def counted(inside):
    """The adds of a section that counts each just before it, the last too."""
    adds = [i for before, i in zip(inside, inside[1:])
            if COUNTS.match(before.text) and i.mnemonic.startswith('add') and
            i.writes_memory()]
    return adds if inside[-1] in adds else []


def check_inside(inside, start, end):
    """What is wrong with the instructions of [start, end)."""
    *before, commit = inside
    others = other_writes(inside)
    adds = counted(inside)
    for i in before:
        if JUMPS.match(i.mnemonic):
            if i.target is None or start <= i.target < end:
                yield f'a jump stays inside: {i.text}'
        elif i.writes_memory() and i not in others and i not in adds:
            yield f'writes memory before the commit: {i.text}'
        elif not (LOADS_AND_REGISTERS.match(i.mnemonic) or
                  COMPARES.match(i.mnemonic)):
            yield f'an instruction that this test does not know: {i.text}'
    if not COMMITS.match(commit.mnemonic) or not commit.writes_memory():
        yield f'the last instruction does not commit: {commit.text}'


def check_around(descriptor, before, after):
    """What is wrong with the arming before and the disarming after."""
    lea, store = before[-2:]
    if lea.mnemonic != 'lea' or lea.target != descriptor:
        yield f'the descriptor is not loaded before the range: {lea.text}'
    if store.mnemonic != 'mov' or not store.in_memory() or \
            store.operands[0] != lea.operands[-1]:
        yield f'the range does not follow the arming store: {store.text}'
    if after[0].mnemonic == 'lea':
        after = after[1:]
        rearmed = after[0].mnemonic == 'mov'
    else:
        rearmed = False
    after = after[0]
    if rearmed and after.operands[-1] == store.operands[-1]:
        return
    if after.mnemonic != 'movq' or after.operands[0] != '$0x0' or \
            after.operands[-1] != store.operands[-1]:
        yield f'the range is not followed by the disarming store: {after.text}'


def check_abort(elf, abort, start, end):
    where = elf.section_of(abort)
    if where is None or not where[2] & 4:
        yield f'the abort handler {abort:#x} is not executable'
    elif elf.word('<I', abort - 4) != elf.machine.signature:
        yield 'the abort handler does not follow the signature'
    if start <= abort < end:
        yield 'the abort handler is inside the range'


def check(elf, code, index, descriptor):
    version, flags, start, length, abort = (
        elf.word(form, descriptor + offset)
        for form, offset in (('<I', 0), ('<I', 4), ('<Q', 8), ('<Q', 16),
                             ('<Q', 24)))
    end = start + length
    if version or flags:
        yield f'version {version}, flags {flags}'
    yield from check_abort(elf, abort, start, end)
    if length == 0 or start not in index or end not in index:
        yield f'[{start:#x}, {end:#x}) does not hold whole instructions'
        return
    first, after = index[start], index[end]
    yield from elf.machine.check_inside(code[first:after], start, end)
    yield from elf.machine.check_around(descriptor, code[:first],
                                         code[after:after + 2])


Machine = collections.namedtuple(
    'Machine', 'signature relative objdump instruction check_inside check_around')

# By the ELF header's number; relative is R_..._RELATIVE of relocations.
MACHINES = {
    62: Machine(0x53053053, 8, ['x86_64-linux-gnu-objdump', 'objdump'],
                Instruction, check_inside, check_around),
    183: Machine(0xd428bc00, 1027, ['aarch64-linux-gnu-objdump', 'objdump'],
                 aarch64.Instruction, aarch64.check_inside,
                 aarch64.check_around),
}


def main(paths, none_is_fine):
    bad = 0
    for path in paths:
        elf = Elf(path)
        code = disassemble(elf)
        index = {i.address: n for n, i in enumerate(code)}
        descriptors = list(elf.descriptors())
        for d in descriptors:
            for wrong in check(elf, code, index, d):
                print(f'{path}: descriptor at {d:#x}: {wrong}')
                bad += 1
        print(f'{path}: {len(descriptors)} sections')
        bad += not descriptors and not none_is_fine
    return 1 if bad else 0


if __name__ == '__main__':
    args = sys.argv[1:]
    sys.exit(main([a for a in args if a != '--none-is-fine'],
                  '--none-is-fine' in args))
