# SPDX-License-Identifier: MIT
"""What replaces each privileged instruction: a load or store of the register page, or a branch to a stub.

A stub is 16 words: up to 12 instructions, the distance to the instruction that it stands for, that
instruction, and what the kernel needs to take a guest that was interrupted in it back or forth
(kernel/arch/ppc405/previrt/previrt.c):  bits 0-7 index of the committing store, 8-15 number of the register that
it uses, 16: whose value waits in the register page.

What has to trap, and often, becomes a call: a store to a page that is never mapped, whose address says what is
wanted (kernel/arch/ppc405/include/arch/previrt.h). The first TABLE bytes of the stubs' memory hold the instructions of calls
that have no address of their own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from amalgam.previrt import entry
from amalgam.previrt.code import Code, CodeError
from amalgam.previrt.decode import NAMES, branch, effect, opcode, privileged, ra, rt, split, xo
from amalgam.previrt.encode import PAGE, PrevirtError, call, clear_ee, is_mtpid, jump, looks_up, lwz, stw, trap_unless_0, writes_entry

AREA = 0x20000  # bytes for stubs
FIRST_MAPPING = 0x1000000  # Linux 40x maps its first 16 MiB with one TLB entry from the start
STUB_WORDS = 16
CALL_RFI, CALL_MTPID, CALL_TLBWE, CALL_TLBSX, CALL_TLBIA, CALL_TABLE = 0, 0x80, 0x100, 0x200, 0x300, 0x800
TABLE = 0x1000 - CALL_TABLE  # bytes: two or four words a call, and at the end the system call handler's beginning (entry.py)
QUICK = 0x100  # the first bytes of it, for calls that have a number of their own
ENTRY = TABLE - 0x80
NOWHERE = 0xFFFFFFFF  # address of records that are no patch: the first two say where the handler goes on, and with which MSR
MSR, ATTENTION, SCRATCH = PAGE + 0x44, PAGE + 0x4C, PAGE + 0x50
SLOTS = {26: 0x00, 27: 0x04, **{272 + i: 0x10 + 4 * i for i in range(8)}, 980: 0x30, 981: 0x34, 982: 0x38, 945: 0x3C, 944: 0x40}
READ_ONLY = (982, 945, 944)  # move the vectors, change the address space, change rights
# What emulate.S does without C: a trap is shorter there than a call, and the calls' way (spr_write) leaves storage to it.
STORAGE = {944, 947, 948, 949, 950, 951, 953, 954, 955, 956, 957, 982, 1012, 1013, 1014, 1015, 1018, 1019}
READ_AS_STORAGE = STORAGE | {979, 1008, 1010}
EE = 0x8000
SAVED = 0x10000


@dataclass
class Site:
    address: int  # virtual
    old: int
    instruction: str
    new: int | None = None
    stub: int | None = None  # virtual address
    how: str = ""  # or why not
    where: str = ""

    def record(self) -> dict[str, object]:
        return {
            "address": f"{self.address:#010x}",
            "where": self.where,
            "instruction": self.instruction,
            "old": f"{self.old:#010x}",
            "new": None if self.new is None else f"{self.new:#010x}",
            "stub": None if self.stub is None else f"{self.stub:#010x}",
            ("how" if self.new is not None else "why not"): self.how,
        }


@dataclass
class Patched:
    sites: list[Site]
    words: list[tuple[int, int]]  # (guest-physical address, word), stubs included
    area: int  # guest-physical
    stub_bytes: int
    handler: tuple[int, int] | None = None  # of system calls, translated: address, MSR

    @property
    def records(self) -> list[tuple[int, int]]:
        """For the partition table."""
        return [(NOWHERE, value) for value in self.handler or ()] + self.words


def area_of(memory: int) -> int:
    """Where the stubs of a guest with so much memory are: guest-physical, within what it maps first."""
    return min(memory, FIRST_MAPPING) - AREA


class Patcher:
    def __init__(self, code: Code, memory: int):
        self.code = code
        self.area = area_of(memory)
        if code.end > self.area:
            raise PrevirtError(f"ends at {code.end:#x}, above the stubs at {self.area:#x}")
        if code.distance & 0x3FFFFFFF:
            raise PrevirtError("is not linked a multiple of 1 GiB above its physical address")
        self.words: list[tuple[int, int]] = []
        self.used = TABLE
        self.quick, self.calls = 0, QUICK  # next free bytes of the table
        self.users_read_sprg = any(opcode(w) == 31 and xo(w) == 339 and split(w) in (260, 261, 262, 263) for w in code.words.values())

    def run(self) -> Patched:
        sites = []
        for at in sorted(self.code.words):
            word = self.code.words[at]
            name = privileged(word)
            if name:
                site = Site(at, word, self.spell(name, word), where=self.code.name(at))
                getattr(self, f"do_{name}", self.leave)(site)
                if site.new is not None:
                    self.words.append((at - self.code.distance, site.new))
                sites.append(site)
        return Patched(sites, self.words, self.area, self.used, self.handler())

    def handler(self) -> tuple[int, int] | None:
        """Lay down the system call handler's beginning for translated mode."""
        found = entry.find(self.code)
        if not found:
            return None
        base = self.area + ENTRY
        body = [lwz(rt(w), PAGE + SLOTS[split(w)]) if xo(w) == 339 and opcode(w) == 31 else w for w in found.words]
        body.append(jump(base + self.code.distance + 4 * len(body), found.target))
        self.words += [(base + 4 * i, word) for i, word in enumerate(body)]
        return base + self.code.distance, found.msr

    def spell(self, name: str, word: int) -> str:
        if name in ("mfspr", "mtspr", "mfdcr", "mtdcr"):
            number = NAMES.get(split(word), str(split(word))) if name[3:] == "pr" or name.endswith("spr") else f"{split(word):#x}"
            return f"{name} {number}"
        return f"wrteei {int(bool(word & EE))}" if name == "wrteei" else name

    def leave(self, site: Site, short: Collection[int] = ()) -> None:
        """The hypervisor has to act: it is called for what is run often. An image has 2,048 DCR accesses, and uses few."""
        if site.instruction.startswith(("mfdcr", "mtdcr", "rfci")) or split(site.old) in (990, 991):  # SRR2, SRR3: quirk SRR23
            site.how = "traps: the hypervisor has to act"
        elif split(site.old) in short:
            site.how = "traps: a call would take longer"
        else:
            self.table(site)

    def table(self, site: Site, *more: int, kind: int = CALL_TABLE) -> None:
        """A call with its instructions in the table: the site's and those behind it."""
        size = 16 if more else 8  # with a 0 behind them
        if kind != CALL_TABLE and self.quick + size > QUICK:
            kind = CALL_TABLE
        place = self.calls if kind == CALL_TABLE else self.quick
        if place + size > ENTRY:
            site.how = "traps: no room for another call"
            return
        if kind == CALL_TABLE:
            self.calls += size
        else:
            self.quick += size
        self.single(site, call(kind + place), f"call, with the next {len(more)}" if more else "call")
        self.words += [(self.area + place + 4 * i, word) for i, word in enumerate((site.old, *more))]

    def behind(self, site: Site, count: int) -> list[int]:
        """The instructions behind it that follow it on every way."""
        where = [site.address + 4 * i for i in range(1, count + 1)]
        return [] if any(at in self.code.targets for at in where) else [self.code.words.get(at, 0) for at in where]

    def single(self, site: Site, word: int, how: str) -> None:
        site.new, site.how = word, how

    def do_mfspr(self, site: Site) -> None:
        slot = SLOTS.get(split(site.old))
        if slot is None:
            self.leave(site, READ_AS_STORAGE)
        else:
            self.single(site, lwz(rt(site.old), PAGE + slot), "load from the register page")

    def do_mtspr(self, site: Site) -> None:
        number = split(site.old)
        slot = SLOTS.get(number)
        if slot is None:
            self.leave(site, STORAGE)
        elif number == 945 and rt(site.old) > 1:
            search = self.behind(site, 2)
            if search and looks_up(site.old, *search):
                self.table(site, *search, kind=CALL_TLBSX)
            else:
                self.single(site, call(CALL_MTPID + 4 * rt(site.old)), "call")
        elif number in READ_ONLY:
            self.leave(site, STORAGE)
        elif number >= 276 and number <= 279 and self.users_read_sprg:
            site.how = "traps: the image reads SPRG4-7 by their user numbers, which the page does not feed"
        else:
            self.single(site, stw(rt(site.old), PAGE + slot), "store to the register page")

    def do_mfmsr(self, site: Site) -> None:
        self.single(site, lwz(rt(site.old), MSR), "load from the register page")

    def do_mtmsr(self, site: Site) -> None:
        if self.only_clears_ee(site.address, rt(site.old)):
            self.single(site, stw(rt(site.old), MSR), "store: only clears EE")
            return
        source = rt(site.old)
        self.stub(
            site,
            source,
            lambda t: [
                lwz(t, MSR),
                31 << 26 | t << 21 | t << 16 | source << 11 | 316 << 1,  # xor t, t, source
                clear_ee(t),
                trap_unless_0(t),  # more than EE changes: the hypervisor does it
            ],
            lambda t: stw(source, MSR),
            True,
        )

    def do_rfi(self, site: Site) -> None:
        self.single(site, call(CALL_RFI), "call")

    def do_tlbwe(self, site: Site) -> None:
        """Low and high word of an entry, one behind the other, are one call; with the return to the former PID, too, one that is short."""
        pair = writes_entry(site.old, *self.behind(site, 1))
        after = self.behind(site, 2)
        if pair and after and is_mtpid(after[1]) and min(rt(site.old), ra(site.old), rt(after[0])) > 1:
            self.table(site, *after, kind=CALL_TLBWE)
        else:
            self.table(site, *(self.behind(site, 1) if pair else ()))

    def do_tlbia(self, site: Site) -> None:
        self.table(site, kind=CALL_TLBIA)

    def do_wrtee(self, site: Site) -> None:
        source = rt(site.old)
        insert = 20 << 26 | source << 21 | 16 << 6 | 16 << 1  # rlwimi t, source, 0, 16, 16
        self.stub(site, source, lambda t: [lwz(t, MSR), insert | t << 16], lambda t: stw(t, MSR), True)

    def do_wrteei(self, site: Site) -> None:
        on = bool(site.old & EE)
        change = (lambda t: 24 << 26 | t << 21 | t << 16 | EE) if on else clear_ee
        self.stub(site, -1, lambda t: [lwz(t, MSR), change(t)], lambda t: stw(t, MSR), on)

    def stub(self, site: Site, source: int, prepare, commit, enables: bool) -> None:
        """[save] prepare, commit, [look whether something waits], [restore], back."""
        if self.used + 4 * STUB_WORDS > AREA:
            site.how = "traps: no room for another stub"
            return
        base = self.area + self.used + self.code.distance
        free = self.code.dead_register(site.address + 4, source)
        register = free if free is not None else (11 if source != 11 else 12)
        body = [] if free is not None else [stw(register, SCRATCH)]
        body += prepare(register)
        index = len(body)
        body.append(commit(register))
        if enables:
            body += [lwz(register, ATTENTION), trap_unless_0(register)]
        if free is None:
            body.append(lwz(register, SCRATCH))
        body.append(jump(base + 4 * len(body), site.address + 4))
        info = index | register << 8 | (0 if free is not None else SAVED)
        words = body + [0] * (STUB_WORDS - 3 - len(body)) + [site.address - base & 0xFFFFFFFF, site.old, info]
        gpa = self.area + self.used
        self.words += [(gpa + 4 * i, word) for i, word in enumerate(words) if word]
        self.used += 4 * STUB_WORDS
        site.stub = base
        saved = ", register saved" if free is None else ""
        self.single(site, jump(site.address, base), f"branch to a stub of {len(body)} instructions{saved}")

    def only_clears_ee(self, at: int, register: int) -> bool:
        """Is this mtmsr what a `mfmsr a; rlwinm register, a, 0, 17, 15` shortly before made, with nothing between that may change the MSR?"""
        wanted, source = "mask", register
        for _ in range(8):
            if at in self.code.targets:
                return False
            at -= 4
            word = self.code.words.get(at)
            if word is None or branch(word, at):
                return False
            if wanted == "mask" and opcode(word) == 21 and ra(word) == register and word & 0xFFFF == (17 << 6 | 15 << 1):
                wanted, source = "mfmsr", rt(word)
                continue
            if wanted == "mfmsr" and opcode(word) == 31 and xo(word) == 83 and rt(word) == source:
                return True
            known = effect(word)
            if known is None or (source if wanted == "mfmsr" else register) in known.writes or privileged(word):
                return False
        return False


def patch_elf(path: Path, memory: int) -> Patched:
    """Everything that pre-virtualization does to this file for a guest with so much memory."""
    try:
        return Patcher(Code(path), memory).run()
    except (CodeError, PrevirtError) as error:
        raise PrevirtError(f"{path.name} {error}") from error


__all__ = ["AREA", "Patched", "PrevirtError", "Site", "area_of", "patch_elf"]
