/* SPDX-License-Identifier: MIT */
/*
 * caches.c - a TCG plugin with a cache of instructions and one of data for each hart of a RISC-V board. It counts what
 * misses; it moves no data and takes no time. Harts must take turns (icount, or -accel tcg,thread=single).
 *
 *   -plugin caches.so,out=FILE[,i=8K:2:64][,d=8K:2:64][,misses=FROM:TO][,ends=off]
 *   (caches.h: what stands behind i= and d=)
 *
 * Instructions are found by their address in the emulator's memory, which is the physical one up to a multiple of 2
 * MiB; an instruction that ends in the next line is an access to that, too, unless it begins another page, or ends=off.
 * Data is found by physical address. Devices' registers are in no cache; walks of page tables are not seen. Cache
 * operations are the markers of riscv_marker.h: an invalidated line goes, a cleaned one stays.
 *
 * Output, one line for each event:
 * - `mark NUMBER HART OWN FETCHES MISSED ACCESSES MISSED` and the last five for all harts together, each what was done
 *   so far: at the instruction slti x0,x0,256+NUMBER, which is not counted
 * - with misses=, from each mark FROM of any hart to the next TO of it: `miss HART OWN i|d ADDRESS`
 * - at the end `hart HART` and its five numbers for each hart, and `end ALL`
 */
#include "caches.h"
#include "riscv_marker.h"
#include "tcg_plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

#define HARTS 512
#define PAGE  4096u

static struct hart {
    uint64_t own;
    struct cache i, d;
} harts[HARTS];
static struct cache_shape shape_i = { 64, 2, 64, 0, false }, shape_d = { 64, 2, 64, 0, false };
static uint64_t all, begun; /* instructions of all harts, now and at the start of the current turn */
static unsigned turn, n_harts, telling;
static int tell_from = -1, tell_to = -1;
static bool ends = true; /* where an instruction ends is looked at */
static FILE *out;

static void fail(const char *why)
{
    fprintf(stderr, "caches: %s\n", why);
    exit(1);
}

/* The running hart, with its count of instructions up to date. */
static struct hart *now(unsigned vcpu)
{
    if (vcpu >= HARTS)
        fail("too many harts");
    harts[turn].own += all - begun;
    begun = all;
    turn = vcpu;
    for (; n_harts <= vcpu; n_harts++)
        if (!cache_begin(&harts[n_harts].i, &shape_i) || !cache_begin(&harts[n_harts].d, &shape_d))
            fail("no memory");
    return &harts[vcpu];
}

static void access_line(unsigned vcpu, struct cache *c, char kind, uint64_t address, bool store)
{
    if (cache_access(c, address, store) && telling)
        fprintf(out, "miss %u %" PRIu64 " %c %#" PRIx64 "\n", vcpu, harts[vcpu].own, kind, address);
}

/* The first instruction of a line, of a block or behind one that ended in the line before. */
static void on_line(unsigned vcpu, void *address)
{
    access_line(vcpu, &now(vcpu)->i, 'i', (uint64_t)(uintptr_t)address, false);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *operation)
{
    struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, vaddr);
    if (!place || qemu_plugin_hwaddr_is_io(place))
        return;
    uint64_t first = qemu_plugin_hwaddr_phys_addr(place), last = first + (1u << qemu_plugin_mem_size_shift(info)) - 1;
    struct cache *c = &now(vcpu)->d;
    switch ((uintptr_t)operation) {
    case CLEAN: return;
    case INVALIDATE:
    case INVALIDATE_TO_POLL:
    case CLEAN_INVALIDATE: cache_drop(c, first); return;
    default: break;
    }
    bool store = qemu_plugin_mem_is_store(info);
    access_line(vcpu, c, 'd', first, store);
    if (first / c->shape->line != last / c->shape->line)
        access_line(vcpu, c, 'd', last, store);
}

static void on_whole(unsigned vcpu, void *unused)
{
    (void)unused;
    cache_drop_all(&now(vcpu)->d);
}

static void tell(const struct hart *h)
{
    fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, h->own, h->i.accesses, h->i.misses,
            h->d.accesses, h->d.misses);
}

static void tell_mark(int number, unsigned vcpu)
{
    struct hart sum = { .own = all };
    for (unsigned k = 0; k < n_harts; k++) {
        sum.i.accesses += harts[k].i.accesses;
        sum.i.misses += harts[k].i.misses;
        sum.d.accesses += harts[k].d.accesses;
        sum.d.misses += harts[k].d.misses;
    }
    fprintf(out, "mark %d %u", number, vcpu);
    tell(&harts[vcpu]);
    tell(&sum);
    fputc('\n', out);
}

static void on_mark(unsigned vcpu, void *data)
{
    int number = (int)(uintptr_t)data;
    now(vcpu);
    tell_mark(number, vcpu);
    if (number == tell_from)
        telling++;
    else if (number == tell_to && telling)
        telling--;
}

/* An instruction's line, and the next one where it ends there. `before`: the line of the one before it in its block. */
static uintptr_t fetch(struct qemu_plugin_insn *insn, uintptr_t before)
{
    uintptr_t first = (uintptr_t)qemu_plugin_insn_haddr(insn);
    uintptr_t last = ends ? first + qemu_plugin_insn_size(insn) - 1 : first;
    if (!first)
        return before;
    if (first / shape_i.line != before)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_line, PLUGIN_NO_REGISTERS, (void *)first);
    if (first / shape_i.line != last / shape_i.line && first / PAGE == last / PAGE)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_line, PLUGIN_NO_REGISTERS, (void *)last);
    return first / PAGE == last / PAGE ? last / shape_i.line : first / shape_i.line;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    uintptr_t line = 0;
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t word = 0;
        if (qemu_plugin_insn_size(insn) == sizeof(word))
            memcpy(&word, qemu_plugin_insn_data(insn), sizeof(word));
        int mark = riscv_mark(word);
        line = fetch(insn, line);
        if (mark >= 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)mark);
            continue;
        }
        if (riscv_operation_all(word) & INVALIDATE) /* also of CLEAN_INVALIDATE */
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_whole, PLUGIN_NO_REGISTERS, NULL);
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS, PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)riscv_operation(word));
        qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, &all, 1);
    }
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    if (n_harts)
        now(turn);
    for (unsigned i = 0; i < n_harts; i++) {
        fprintf(out, "hart %u", i);
        tell(&harts[i]);
        fputc('\n', out);
    }
    fprintf(out, "end %" PRIu64 "\n", all);
    fclose(out);
}

static bool option(const char *word)
{
    if (!strncmp(word, "i=", 2))
        return cache_shape_read(word + 2, &shape_i);
    if (!strncmp(word, "d=", 2))
        return cache_shape_read(word + 2, &shape_d);
    if (!strncmp(word, "misses=", 7))
        return sscanf(word + 7, "%d:%d", &tell_from, &tell_to) == 2;
    if (!strcmp(word, "ends=off")) {
        ends = false;
        return true;
    }
    return !strncmp(word, "out=", 4) && !out && (out = fopen(word + 4, "w"));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (!option(argv[i])) {
            fprintf(stderr, "caches: option '%s' cannot be used\n", argv[i]);
            return -1;
        }
    if (!out) {
        fprintf(stderr, "caches: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
