/* SPDX-License-Identifier: MIT */
/*
 * visits.c - a TCG plugin that counts instructions of a kernel: for each place where a guest enters it, those until a
 * guest runs again (a visit); for each routine of the kernel, those of a call. For a board with one core. Counts are
 * exact, and repeat if the board's run does.
 *
 *   -plugin visits.so,lo=ADDR,hi=ADDR,out=FILE[,idle_lo=ADDR,idle_hi=ADDR]...[,path_lo=ADDR,path_hi=ADDR][,light=on]
 *
 * lo..hi is the kernel's text, with its exception vectors at the start of its 64 KiB. Without lo and hi there is no
 * kernel, only a guest on the bare board. An exception before a guest's first instruction also ends a visit; PC is then
 * ffffffff.
 *
 * Output, one line each:
 * - `total INSTRUCTIONS KERNEL IDLE`: the whole run; guest instructions in idle_lo..idle_hi are counted as IDLE only
 * - `start INSTRUCTIONS`: kernel instructions before the first one of a guest, which start the kernel and load guests
 * - `visit ENTRY PC N MIN MAX SUM`: entered at kernel address ENTRY from the guest instruction at PC
 * - `call ROUTINE N MIN MAX SUM`: called by bl or bctrl
 * - `span FROM TO N MIN MAX SUM`: all instructions between two marks of a guest that follow each other in time, without
 *   IDLE and without visits that a privileged instruction or a hypercall of an idle loop caused; a mark is the word
 *   63ff0000 (ori r31,r31,0), itself not counted; FROM is 00000000 for the guest's first instruction
 * - `path PC ADDRESS...`: kernel instructions of the latest visit from a PC in path_lo..path_hi
 *
 * `light` counts totals only, and is fast enough for a whole Linux.
 */
#include "visits.h"
#include "tcg_plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

#define DEPTH 64
#define PATH  4096 /* instructions kept of one visit */
#define PATHS 256

struct frame {
    uint32_t back, routine;
    uint64_t began;
};

#define IDLES 32 /* ranges; one idle loop has several functions */
static uint64_t lo, hi, idle_lo[IDLES], idle_hi[IDLES], path_lo, path_hi;
static unsigned n_idle_lo, n_idle_hi;
static char out_name[512];
static bool light;
static uint64_t all, kernel, idle;
static struct counts visits, calls, spans;
static uint64_t lost; /* paths */

#define MARK 0x63ff0000u
static uint32_t mark; /* the last mark; 0: none yet */
static uint64_t guest, mark_at, start;
static bool from_idle;       /* the last guest instruction, or the one from which this visit came, is in an idle loop */
static uint64_t idle_visits; /* kernel instructions of visits of privileged instructions and hypercalls in idle loops */
#define PROGRAM 0x700        /* the vectors of such exceptions */
#define SYSCALL 0xc00

static bool inside;      /* the kernel runs */
static uint32_t last_pc; /* the last guest instruction */
static uint32_t entered, from;
static uint64_t now; /* kernel instructions so far */
static uint64_t began;
static struct frame stack[DEPTH];
static unsigned depth;
static bool calling;

static uint32_t trail[PATH];
static unsigned n_trail;
static struct {
    uint32_t pc;
    unsigned n;
    uint32_t at[PATH];
} paths[PATHS];

static void keep_path(void)
{
    if (from < path_lo || from >= path_hi)
        return;
    for (unsigned i = 0; i < PATHS; i++) {
        if (paths[i].n && paths[i].pc != from)
            continue;
        paths[i].pc = from;
        paths[i].n = n_trail;
        memcpy(paths[i].at, trail, n_trail * sizeof(trail[0]));
        return;
    }
    lost++;
}

#define NOWHERE 0xffffffffu

static bool is_vector(uint32_t address)
{
    static const uint16_t offsets[] = { 0x100, 0x200,  0x300,  0x400,  0x500,  0x600,  0x700,
                                        0xc00, 0x1000, 0x1010, 0x1020, 0x1100, 0x1200, 0x2000 };
    if ((address ^ (uint32_t)lo) >> 16)
        return false;
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        if ((address & 0xffff) == offsets[i])
            return true;
    return false;
}

static void leave(void)
{
    inside = false;
    if (from_idle && ((entered & 0xffff) == PROGRAM || (entered & 0xffff) == SYSCALL))
        idle_visits += now - began;
    counts_add(&visits, (uint64_t)entered << 32 | from, now - began);
    keep_path();
}

/* The callback's argument holds the instruction's word and its address, both of 32 bits on this machine. */
static void on_kernel(unsigned vcpu, void *data)
{
    uint32_t address = (uint64_t)(uintptr_t)data >> 32;
    uint32_t word = (uint32_t)(uintptr_t)data;
    (void)vcpu;
    if (inside && is_vector(address)) {
        leave();
        last_pc = NOWHERE;
        from_idle = false;
    }
    if (!inside) {
        inside = true;
        entered = address;
        from = last_pc;
        began = now;
        depth = 0;
        n_trail = 0;
        calling = false;
    }
    if (calling)
        stack[depth - 1].routine = address;
    calling = false;
    while (depth && stack[depth - 1].back == address) {
        depth--;
        counts_add(&calls, stack[depth].routine, now - stack[depth].began);
    }
    now++;
    if (n_trail < PATH)
        trail[n_trail++] = address;
    bool branches = word >> 26 == 18 || word >> 26 == 16 || (word >> 26 == 19 && (word >> 1 & 0x3ff) == 528);
    if (branches && word & 1 && depth < DEPTH) {
        stack[depth++] = (struct frame){ address + 4, 0, now };
        calling = true;
    }
}

static void runs(void *data, bool idles)
{
    if (inside)
        leave();
    if (!guest)
        mark_at = start = now;
    last_pc = (uint32_t)(uintptr_t)data;
    from_idle = idles;
}

static void on_idle(unsigned vcpu, void *data)
{
    (void)vcpu;
    runs(data, true);
}

static void on_guest(unsigned vcpu, void *data)
{
    (void)vcpu;
    runs(data, false);
    guest++;
}

static void on_mark(unsigned vcpu, void *data)
{
    on_guest(vcpu, data);
    uint64_t time = guest + now - idle_visits;
    counts_add(&spans, (uint64_t)mark << 32 | last_pc, time - mark_at - 1);
    mark = last_pc;
    mark_at = time;
}

static bool is_idle(uint64_t at)
{
    for (unsigned i = 0; i < n_idle_hi; i++)
        if (at >= idle_lo[i] && at < idle_hi[i])
            return true;
    return false;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        bool ours = at >= lo && at < hi, idles = is_idle(at);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, ours ? &kernel : idles ? &idle : &all, 1);
        if (light)
            continue;
        const uint8_t *b = qemu_plugin_insn_data(insn);
        uint64_t word = (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
        void (*seen)(unsigned, void *) = ours ? on_kernel : word == MARK ? on_mark : idles ? on_idle : on_guest;
        qemu_plugin_register_vcpu_insn_exec_cb(insn, seen, PLUGIN_NO_REGISTERS,
                                               (void *)(uintptr_t)(ours ? at << 32 | word : at));
    }
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    FILE *f = fopen(out_name, "w");
    if (!f) {
        perror(out_name);
        return;
    }
    fprintf(f, "total %llu %llu %llu\n", (unsigned long long)(all + kernel), (unsigned long long)kernel,
            (unsigned long long)idle);
    fprintf(f, "start %llu\n", (unsigned long long)start);
    counts_report(f, "visit", &visits, true);
    counts_report(f, "call", &calls, false);
    counts_report(f, "span", &spans, true);
    for (unsigned i = 0; i < PATHS && paths[i].n; i++) {
        fprintf(f, "path %08x", paths[i].pc);
        for (unsigned k = 0; k < paths[i].n; k++)
            fprintf(f, " %08x", paths[i].at[k]);
        fprintf(f, "\n");
    }
    lost += visits.lost + calls.lost + spans.lost;
    if (lost)
        fprintf(f, "lost %llu\n", (unsigned long long)lost);
    fclose(f);
}

static bool option(const char *word, const char *name, uint64_t *value)
{
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || word[n] != '=')
        return false;
    *value = strtoull(word + n + 1, NULL, 0);
    return true;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (option(argv[i], "lo", &lo) || option(argv[i], "hi", &hi) || option(argv[i], "path_lo", &path_lo) ||
            option(argv[i], "path_hi", &path_hi))
            continue;
        if (n_idle_lo < IDLES && option(argv[i], "idle_lo", &idle_lo[n_idle_lo]))
            n_idle_lo++;
        else if (n_idle_hi < n_idle_lo && option(argv[i], "idle_hi", &idle_hi[n_idle_hi]))
            n_idle_hi++;
        else if (strncmp(argv[i], "out=", 4) == 0)
            snprintf(out_name, sizeof(out_name), "%s", argv[i] + 4);
        else if (strncmp(argv[i], "light=", 6) == 0)
            light = true;
        else {
            fprintf(stderr, "visits: unknown option '%s'\n", argv[i]);
            return -1;
        }
    }
    if (!out_name[0]) {
        fprintf(stderr, "visits: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
