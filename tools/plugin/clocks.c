/* SPDX-License-Identifier: MIT */
/*
 * clocks.c - a TCG plugin with three clocks for a RISC-V board of many harts. Harts must take turns (icount, or
 * -accel tcg,thread=single). Then one counter is enough: its increase while a hart has its turn belongs to that hart.
 *
 * - own: the instructions of a hart.
 * - path: a clock for each hart. It advances by the hart's own instructions. When the hart takes something from another
 *   hart and the sender's clock is later, it is set to that. At the end of some work the path is the length of the
 * longest chain of instructions that had to be executed one after the other, as if all harts had run at once.
 * - all: the sum over all harts.
 *
 *   -plugin clocks.so,out=FILE[,flag=LO:HI]...[,at=ADDRESS:NUMBER]...[,events=on][,sleeps=on][,store=LO:HI:EVERY]...
 *                 [,memory=BASE]
 *
 * A hart takes the sender's clock from
 * - a doorbell: a store to the SSWI (0x2f00000 + 4 * hart) rings; the hart takes it by an instruction that clears
 * sip.SSIP (csrrc, csrrci, csrrw, csrrwi of sip), or by the first instruction after a WFI if a ring is pending. The
 * MSWI (0x2000000 + 4 * hart) is the same for the firmware, where the hart takes it by a store to its own word.
 * - a flag: a word of physical memory in a range LO..HI; a load takes the clock of another hart's last store there.
 * A hart that is interrupted while it works takes the ring at the handler's `csrc sip`; the handler's instructions
 * before that may overlap with the sender's.
 *
 * The order of execution is not the order of time, because a hart runs until it sleeps. A hart that serves several
 * rings at once takes the latest of them first. For harts with unequal load the events must be replayed in time order
 * (events=on).
 *
 * Output, one line for each event:
 * - `mark NUMBER HART OWN PATH ALL`: the instruction slti x0,x0,256+NUMBER, itself not counted; or, with at=, the one
 * at that virtual address, which is
 * - with events=on: `ring FROM TO PATH`, `take HART FROM PATH` (PATH before it), `flag HART FROM ADDRESS PATH` where a
 *   load moved the clock
 * - with sleeps=on: `sleep HART PATH` at a WFI, `wake HART PATH` (PATH behind what was taken) where the hart goes on
 * - with store=LO:HI:EVERY: `store HART ADDRESS PATH` for each store to physical memory at LO, LO + EVERY, ... below
 * HI, of any of these, without those of the firmware (firmware/manycore/table.h), which clears outboxes. With
 * memory=BASE a VALUE behind it: the word that is there then (clocks.h)
 * - at the end: `hart HART OWN PATH` for each, `end ALL`
 */
#include "clocks.h"
#include "riscv_marker.h"
#include "tcg_plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

#define HARTS  512
#define PLACES 8
#define WFI    0x10500073u
#define SIP    0x144

#define FIRMWARE     0x80000000ull
#define FIRMWARE_END 0x80200000ull
#define SSWI         0x02f00000ull
#define MSWI         0x02000000ull

static struct hart {
    uint64_t own, lead;        /* path = own + lead */
    struct stamp rung, kicked; /* supervisor's and machine's software interrupt */
    bool slept;
} harts[HARTS];
static uint64_t all, begun; /* instructions of all harts, now and at the start of the current turn */
static unsigned turn, n_harts = 1;
static struct place {
    uint64_t address;
    unsigned number;
} places[PLACES];
static unsigned n_places;
static bool events, sleeps;
static uint64_t base; /* of the memory whose values are told; 0: none are */
static FILE *out;

/* Update the clock of the running hart. Returns the hart. */
static struct hart *now(unsigned vcpu)
{
    if (vcpu >= HARTS) {
        fprintf(stderr, "clocks: more than %u harts\n", HARTS);
        exit(1);
    }
    harts[turn].own += all - begun;
    begun = all;
    turn = vcpu;
    if (vcpu >= n_harts)
        n_harts = vcpu + 1;
    return &harts[vcpu];
}

static uint64_t path(const struct hart *h) { return h->own + h->lead; }

static bool later(struct hart *h, uint64_t then)
{
    if (then <= path(h))
        return false;
    h->lead += then - path(h);
    return true;
}

static void take(unsigned vcpu, struct stamp *stamp)
{
    struct hart *h = now(vcpu);
    if (!stamp->from)
        return;
    if (events)
        fprintf(out, "take %u %u %" PRIu64 "\n", vcpu, stamp->from - 1, path(h));
    later(h, stamp->path);
    stamp->from = 0;
}

static void ring(unsigned vcpu, unsigned to, struct stamp *stamp)
{
    uint64_t at = path(now(vcpu));
    if (events)
        fprintf(out, "ring %u %u %" PRIu64 "\n", vcpu, to, at);
    if (!stamp->from || at > stamp->path)
        *stamp = (struct stamp){ at, vcpu + 1 };
}

static void on_block(unsigned vcpu, void *data)
{
    (void)data;
    if (vcpu != turn)
        now(vcpu);
    if (!harts[vcpu].slept)
        return;
    harts[vcpu].slept = false;
    take(vcpu, &harts[vcpu].rung);
    if (sleeps)
        fprintf(out, "wake %u %" PRIu64 "\n", vcpu, path(&harts[vcpu]));
}

static void on_wfi(unsigned vcpu, void *data)
{
    (void)data;
    harts[vcpu].slept = true;
    if (sleeps)
        fprintf(out, "sleep %u %" PRIu64 "\n", vcpu, path(now(vcpu)));
}

static void on_sip(unsigned vcpu, void *data)
{
    (void)data;
    take(vcpu, &harts[vcpu].rung);
}

static void on_mark(unsigned vcpu, void *data)
{
    struct hart *h = now(vcpu);
    fprintf(out, "mark %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (unsigned)(uintptr_t)data, vcpu, h->own, path(h),
            all);
}

static void on_device(unsigned vcpu, uint64_t at)
{
    if (at >= SSWI && at < SSWI + 4 * HARTS)
        ring(vcpu, (unsigned)(at - SSWI) / 4, &harts[(at - SSWI) / 4].rung);
    if (at < MSWI || at >= MSWI + 4 * HARTS)
        return;
    unsigned to = (unsigned)(at - MSWI) / 4;
    if (to == vcpu)
        take(vcpu, &harts[to].kicked);
    else
        ring(vcpu, to, &harts[to].kicked);
}

static void tell_store(unsigned vcpu, uint64_t at)
{
    fprintf(out, "store %u %#" PRIx64 " %" PRIu64, vcpu, at, path(now(vcpu)));
    if (base)
        fprintf(out, " %" PRIu32, memory_word(base, at));
    fputc('\n', out);
}

static void on_memory(unsigned vcpu, uint64_t at, bool store, bool firmware)
{
    if (store && !firmware && store_is_told(at))
        tell_store(vcpu, at);
    struct stamp *word = flag_at(at);
    if (!word)
        return;
    struct hart *h = now(vcpu);
    uint64_t before = path(h);
    if (store)
        *word = (struct stamp){ before, vcpu + 1 };
    else if (word->from && word->from != vcpu + 1 && later(h, word->path) && events)
        fprintf(out, "flag %u %u %#" PRIx64 " %" PRIu64 "\n", vcpu, word->from - 1, at, before);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    bool store = qemu_plugin_mem_is_store(info), firmware = data;
    struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(info, vaddr);
    if (!address)
        return;
    if (qemu_plugin_hwaddr_is_io(address)) {
        if (store)
            on_device(vcpu, qemu_plugin_hwaddr_phys_addr(address));
    } else if (flags_given() || stores_told()) {
        on_memory(vcpu, qemu_plugin_hwaddr_phys_addr(address), store, firmware);
    }
}

/* Returns whether this is a CSR instruction that may clear bits of sip: csrrw, csrrc or their immediate forms. */
static bool clears_sip(uint32_t word)
{
    unsigned function = word >> 12 & 7;
    return (word & 0x7f) == 0x73 && word >> 20 == SIP && (function & 3) != 2 && (function & 3) != 0;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, NULL);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t word = 0;
        if (qemu_plugin_insn_size(insn) == sizeof(word))
            memcpy(&word, qemu_plugin_insn_data(insn), sizeof(word));
        int mark = riscv_mark(word);
        if (mark >= 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)mark);
            continue;
        }
        for (unsigned k = 0; k < n_places; k++)
            if (places[k].address == qemu_plugin_insn_vaddr(insn))
                qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, PLUGIN_NO_REGISTERS,
                                                       (void *)(uintptr_t)places[k].number);
        if (word == WFI)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_wfi, PLUGIN_NO_REGISTERS, NULL);
        else if (clears_sip(word))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_sip, PLUGIN_NO_REGISTERS, NULL);
        uint64_t pc = qemu_plugin_insn_vaddr(insn);
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)(pc >= FIRMWARE && pc < FIRMWARE_END));
        qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, &all, 1);
    }
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    now(turn);
    for (unsigned i = 0; i < n_harts; i++)
        fprintf(out, "hart %u %" PRIu64 " %" PRIu64 "\n", i, harts[i].own, path(&harts[i]));
    fprintf(out, "end %" PRIu64 "\n", all);
    fclose(out);
}

static bool place_option(const char *word)
{
    if (strncmp(word, "at=", 3) != 0 || n_places == PLACES)
        return false;
    char *more;
    struct place *p = &places[n_places];
    p->address = strtoull(word + 3, &more, 0);
    if (*more != ':')
        return false;
    p->number = (unsigned)strtoul(more + 1, NULL, 0);
    n_places++;
    return true;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (flag_option(argv[i]) || place_option(argv[i]) || store_option(argv[i]))
            continue;
        if (!strcmp(argv[i], "events=on"))
            events = true;
        else if (!strcmp(argv[i], "sleeps=on"))
            sleeps = true;
        else if (!strncmp(argv[i], "memory=", 7))
            base = strtoull(argv[i] + 7, NULL, 0);
        else if (strncmp(argv[i], "out=", 4) != 0 || out || !(out = fopen(argv[i] + 4, "w"))) {
            fprintf(stderr, "clocks: option '%s' cannot be used\n", argv[i]);
            return -1;
        }
    }
    if (!out) {
        fprintf(stderr, "clocks: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
