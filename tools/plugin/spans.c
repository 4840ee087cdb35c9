/* SPDX-License-Identifier: MIT */
/*
 * spans.c - a TCG plugin that counts the instructions of each CPU of an x86 board, and writes the counts at each mark.
 * The board's CPUs must take turns (-accel tcg,thread=single, or one CPU). Then one counter is enough: its increase
 * while a CPU has its turn belongs to that CPU.
 *
 *   -plugin spans.so,out=FILE[,tsc=LO:HI]...[,tick=ADDR][,lo=ADDR,hi=ADDR,cpu=N]
 *
 * Output, one line for each event in the order of time; COUNTS are the instructions so far of CPU 0, 1, ...:
 * - `mark NUMBER CPU TICKS TICKED COUNTS`: the instruction nopl NUMBER(%rax,%rax,1), NUMBER from MARK on, which a
 * program executes
 * - `tsc CPU TICKED WAITED COUNT ADDR`: RDTSC at an address in one of the ranges LO..HI; COUNT is that CPU's
 * - `first CPU COUNTS`: for the first time after a mark with an odd NUMBER CPU N, or one above it, executes what lies
 * in lo..hi
 *
 * TICKS: how often that CPU executed ADDR, the entry of Linux's timer interrupt. TICKED: its instructions from there to
 * the next IRETQ or SYSRETQ. The number of these interrupts depends on the speed of the emulator, unless instructions
 * are its clock (icount). WAITED: its instructions in loops that wait for another CPU, which are those between two
 * executions of the same PAUSE at most LOOP instructions apart.
 */
#include "tcg_plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

#define CPUS   8
#define RANGES 4
#define LOOP   16
#define MARK   0x414d0000u

static struct cpu {
    uint64_t count, ticks, ticked, waited;
    uint64_t pause, pause_at; /* address of the last PAUSE, and the count at that time */
    uint64_t tick_at;         /* the count at the start of the timer interrupt that it is in; 0: in none */
} cpus[CPUS];
static uint64_t all, begun; /* instructions of all CPUs, now and at the start of the current turn */
static unsigned turn, n_cpus = 1, above;
static uint64_t tsc_lo[RANGES], tsc_hi[RANGES], tick, lo, hi;
static unsigned n_ranges;
static bool armed;
static FILE *out;

static struct cpu *now(unsigned vcpu)
{
    if (vcpu >= CPUS) {
        fprintf(stderr, "spans: more than %u CPUs\n", CPUS);
        exit(1);
    }
    cpus[turn].count += all - begun;
    begun = all;
    turn = vcpu;
    if (vcpu >= n_cpus)
        n_cpus = vcpu + 1;
    return &cpus[vcpu];
}

static void print_counts(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        fprintf(out, " %" PRIu64, cpus[i].count);
    fputc('\n', out);
}

static void on_block(unsigned vcpu, void *data)
{
    (void)data;
    if (vcpu != turn)
        now(vcpu);
}

static void on_mark(unsigned vcpu, void *data)
{
    struct cpu *c = now(vcpu);
    fprintf(out, "mark %u %u %" PRIu64 " %" PRIu64, (unsigned)(uintptr_t)data, vcpu, c->ticks, c->ticked);
    print_counts();
    armed = armed || (uintptr_t)data % 2;
}

static void on_tsc(unsigned vcpu, void *data)
{
    struct cpu *c = now(vcpu);
    fprintf(out, "tsc %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %#" PRIx64 "\n", vcpu, c->ticked, c->waited, c->count,
            (uint64_t)(uintptr_t)data);
}

static void on_tick(unsigned vcpu, void *data)
{
    struct cpu *c = now(vcpu);
    (void)data;
    if (!c->tick_at)
        c->tick_at = c->count;
}

static void on_return(unsigned vcpu, void *data)
{
    struct cpu *c = &cpus[vcpu];
    (void)data;
    if (!c->tick_at)
        return;
    now(vcpu);
    c->ticks++;
    c->ticked += c->count - c->tick_at;
    c->tick_at = 0;
}

static void on_first(unsigned vcpu, void *data)
{
    (void)data;
    if (!armed || vcpu < above)
        return;
    armed = false;
    now(vcpu);
    fprintf(out, "first %u", vcpu);
    print_counts();
}

static void on_pause(unsigned vcpu, void *data)
{
    struct cpu *c = now(vcpu);
    uint64_t at = (uint64_t)(uintptr_t)data;
    if (c->pause == at && c->count - c->pause_at <= LOOP)
        c->waited += c->count - c->pause_at;
    c->pause = at;
    c->pause_at = c->count;
}

static bool in_tsc_range(uint64_t at)
{
    for (unsigned i = 0; i < n_ranges; i++)
        if (at >= tsc_lo[i] && at < tsc_hi[i])
            return true;
    return false;
}

static void watch(struct qemu_plugin_insn *insn, uint64_t at)
{
    static const uint8_t nopl[] = { 0x0f, 0x1f, 0x84, 0x00 }, rdtsc[] = { 0x0f, 0x31 }, pause[] = { 0xf3, 0x90 };
    static const uint8_t iretq[] = { 0x48, 0xcf }, sysretq[] = { 0x48, 0x0f, 0x07 };
    const uint8_t *b = qemu_plugin_insn_data(insn);
    size_t size = qemu_plugin_insn_size(insn);
    uint32_t number = 0;
    if (size == 8 && !memcmp(b, nopl, sizeof(nopl)))
        memcpy(&number, b + 4, sizeof(number));
    if (number >= MARK && number < MARK + 0x10000)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)(number - MARK));
    else if (size == 2 && !memcmp(b, rdtsc, sizeof(rdtsc)) && in_tsc_range(at))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tsc, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)at);
    else if (size == 2 && !memcmp(b, pause, sizeof(pause)))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_pause, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)at);
    else if ((size == 2 && !memcmp(b, iretq, sizeof(iretq))) || (size == 3 && !memcmp(b, sysretq, sizeof(sysretq))))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_return, PLUGIN_NO_REGISTERS, NULL);
    if (tick && at == tick)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tick, PLUGIN_NO_REGISTERS, NULL);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, NULL);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        if (!i && at >= lo && at < hi)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_first, PLUGIN_NO_REGISTERS, NULL);
        watch(insn, at);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, &all, 1);
    }
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    fputs("end\n", out);
    fclose(out);
}

static bool number(const char *word, const char *name, uint64_t *value)
{
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || word[n] != '=')
        return false;
    *value = strtoull(word + n + 1, NULL, 0);
    return true;
}

static bool range(const char *word)
{
    if (strncmp(word, "tsc=", 4) != 0 || n_ranges == RANGES)
        return false;
    char *more;
    tsc_lo[n_ranges] = strtoull(word + 4, &more, 0);
    tsc_hi[n_ranges] = *more == ':' ? strtoull(more + 1, NULL, 0) : 0;
    n_ranges++;
    return tsc_lo[n_ranges - 1] < tsc_hi[n_ranges - 1];
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    uint64_t cpu = 0;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (range(argv[i]) || number(argv[i], "tick", &tick) || number(argv[i], "lo", &lo) ||
            number(argv[i], "hi", &hi) || number(argv[i], "cpu", &cpu))
            continue;
        if (strncmp(argv[i], "out=", 4) != 0 || out || !(out = fopen(argv[i] + 4, "w"))) {
            fprintf(stderr, "spans: option '%s' cannot be used\n", argv[i]);
            return -1;
        }
    }
    if (!out) {
        fprintf(stderr, "spans: out=FILE is missing\n");
        return -1;
    }
    above = (unsigned)cpu;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
