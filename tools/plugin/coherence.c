/* SPDX-License-Identifier: MIT */
/*
 * coherence.c - the coherence checker, a TCG plugin for RISC-V and i386 (coherence.h lists its parts).
 *
 *   -plugin coherence.so,out=FILE[,line=32|64][,nc=LO:HI[:CORE:CORE]]...[,own=LO:HI:CORE:CORE]...[,flag=LO:HI]...
 *           [,uncached=CORE:CORE][,va=LO:HI][,l2|mpbt|uc=...][,vtype=TYPE:LO:HI]...[,fill=N][,mpb|dram=...]
 *
 * Addresses are hexadecimal, and physical except for va and vtype. HI is the first address behind the range.
 * - nc: memory that each of the given cores caches by itself, with operations on lines. l2, mpbt, uc: the same with
 * another memory type (coherence_mpbt.c)
 * - own: memory that only these cores may access, once one of them has (report `foreign`)
 * - flag: uncached words: a store there announces everything that the core has cleaned before
 * - uncached: cores whose accesses bypass the caches, such as those of a DMA engine
 * - mpb, dram: where lines are at home on the SCC (coherence_mesh.c)
 * - va: check only accesses at these virtual addresses; all others are faster
 *
 * Output: `mark NUMBER CORE OWN PATH ALL FILLED CLEANED TAKEN` for each mark; the last three are lines that all cores
 * have filled, written back, and taken from others. At the end the reports (coherence_report.c), `core CORE OWN
 * PATH` for each core, `took CORE FROM LINES` for the lines that it took from another core, and `end REPORTS ACCESSES
 * INSTRUCTIONS`.
 */
#include "coherence.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

static struct range cached[RANGES], owned[RANGES];
static unsigned n_cached, n_owned, uncached_from = CORES, uncached_to;
static uint64_t va_lo, va_hi = UINT64_MAX, accesses;
static bool slept[CORES], i386;
static unsigned n_vcpus;
static FILE *out;

static bool in_range(const struct range *r, uint64_t at) { return at >= r->lo && at < r->hi; }

static bool of_range(const struct range *r, unsigned core) { return core >= r->from && core <= r->to; }

static enum type type_of(const struct range *r, unsigned core, uint64_t vaddr)
{
    if (core >= uncached_from && core <= uncached_to)
        return UNCACHED;
    return page_type(core, vaddr, r->type);
}

static void on_device(unsigned core, uint64_t at)
{
    unsigned first, last;
    if (!order_is_doorbell(core, at, &first, &last))
        return;
    if (first > last || (first == last && first == core))
        order_take(core);
    else
        order_ring(core, first, last);
}

/* Find the physical address of an access. Returns false if the access is not checked. */
static bool physical(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t *at)
{
    struct qemu_plugin_hwaddr *address = vaddr >= va_lo && vaddr < va_hi ? qemu_plugin_get_hwaddr(info, vaddr) : NULL;
    if (!address)
        return false;
    *at = qemu_plugin_hwaddr_phys_addr(address);
    if (!qemu_plugin_hwaddr_is_io(address))
        return true;
    if (qemu_plugin_mem_is_store(info))
        on_device(core, *at);
    return false;
}

static void check_owner(unsigned core, uint64_t pc, uint64_t at)
{
    for (unsigned i = 0; i < n_owned; i++) {
        if (!in_range(&owned[i], at))
            continue;
        if (of_range(&owned[i], core))
            owned[i].taken = true;
        else if (owned[i].taken)
            report("foreign", core, pc, at, owned[i].from, 0);
    }
}

static void on_access(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    uint64_t at, pc = (uint64_t)(uintptr_t)data;
    bool store = qemu_plugin_mem_is_store(info);
    if (!physical(core, info, vaddr, &at))
        return;
    accesses++;
    check_owner(core, pc, at);
    if (!store)
        order_flag(core, at, false);
    for (unsigned i = 0; i < n_cached; i++) {
        struct range *r = &cached[i];
        unsigned size = 1u << qemu_plugin_mem_size_shift(info);
        if (!in_range(r, at) || !of_range(r, core))
            continue;
        if (size > r->hi - at)
            size = (unsigned)(r->hi - at);
        line_access(r, core, type_of(r, core, vaddr), pc, at, size, store);
    }
    if (store) /* after the store has its version, which the flag carries */
        order_flag(core, at, true);
}

static void on_set(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    clock_blind(true);
    on_access(core, info, vaddr, data);
    clock_blind(false);
}

/* The data of a marker's callback: the instruction's address with the marker's number in its low bits. The address is
 * signed, because kernels run at the upper end. */
#define NUMBER_BITS 3
static uint64_t pc_of(void *data) { return (uint64_t)((int64_t)(intptr_t)data >> NUMBER_BITS); }
static unsigned number_of(void *data) { return (unsigned)(uintptr_t)data & ((1u << NUMBER_BITS) - 1); }

static void on_operate(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    uint64_t at;
    if (!physical(core, info, vaddr, &at))
        return;
    for (unsigned i = 0; i < n_cached; i++)
        if (in_range(&cached[i], at) && of_range(&cached[i], core))
            line_operate(&cached[i], core, type_of(&cached[i], core, vaddr), number_of(data), pc_of(data), at);
}

static void on_type(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)info;
    page_set_type(core, vaddr, (enum type)number_of(data));
}

/* The number of the named core is the address modulo 512. */
static void on_name(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)info, (void)data;
    order_name(core, (unsigned)(vaddr % CORES));
}

static void on_leave(unsigned core, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    uint64_t at;
    (void)data;
    if (!physical(core, info, vaddr, &at))
        return;
    for (unsigned i = 0; i < n_cached; i++)
        if (in_range(&cached[i], at) && of_range(&cached[i], core))
            line_leave_page(&cached[i], core, at);
}

static void on_service(unsigned core, void *data)
{
    static void (*const say[])(unsigned) = { clock_serve, clock_served, clock_awaited };
    say[(uintptr_t)data](core);
}

static void on_operate_all(unsigned core, void *data) { line_operate_all(core, number_of(data), pc_of(data)); }

static void on_invalidate_mpbt(unsigned core, void *data)
{
    (void)data;
    mpbt_invalidate(core);
}

static void on_mark(unsigned core, void *data) { clock_mark(out, core, (unsigned)(uintptr_t)data); }

static void on_take(unsigned core, void *data)
{
    (void)data;
    order_take(core);
}

static void on_wait(unsigned core, void *data)
{
    (void)data;
    order_waits(core);
    slept[core] = true;
}

static void on_block(unsigned core, void *data)
{
    (void)data;
    clock_turn(core);
    if (core >= n_cores)
        n_cores = core + 1;
    if (slept[core]) {
        clock_wake(core);
        order_take(core);
    }
    slept[core] = false;
}

static void on_exec(struct qemu_plugin_insn *insn, void (*cb)(unsigned, void *), uint64_t data)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, PLUGIN_NO_REGISTERS, (void *)(uintptr_t)data);
}

static void on_memory(struct qemu_plugin_insn *insn, void (*cb)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                      uint64_t data)
{
    qemu_plugin_register_vcpu_mem_cb(insn, cb, PLUGIN_NO_REGISTERS, PLUGIN_MEM_RW, (void *)(uintptr_t)data);
}

static void watch(struct qemu_plugin_insn *insn)
{
    uint64_t pc = qemu_plugin_insn_vaddr(insn);
    struct marker m = marker_of(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn), i386);
    uint64_t both = pc << NUMBER_BITS | m.number;
    switch (m.what) {
    case OPERATE: on_memory(insn, on_operate, both); break;
    case SET_TYPE: on_memory(insn, on_type, both); break;
    case NAME: on_memory(insn, on_name, 0); return; /* not counted */
    case LEAVE: on_memory(insn, on_leave, 0); return;
    case SERVICE: on_exec(insn, on_service, m.number); return;
    case OPERATE_ALL: on_exec(insn, on_operate_all, both); break;
    case INVALIDATE_MPBT: on_exec(insn, on_invalidate_mpbt, 0); break;
    case WAIT: on_exec(insn, on_wait, 0); break;
    case TAKE: on_exec(insn, on_take, 0); break;
    case MARK: on_exec(insn, on_mark, m.number); return; /* not counted, too */
    case PLAIN: on_memory(insn, on_access, pc); break;
    case SET: on_memory(insn, on_set, pc); break;
    }
    qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, &clock_all, 1);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS, NULL);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        watch(qemu_plugin_tb_get_insn(tb, i));
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    order_end();
    uint64_t reports = report_write(out);
    clock_write(out);
    fprintf(out, "end %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", reports, accesses, clock_all);
    fclose(out);
}

static bool range_option(const char *word)
{
    static const char *const names[] = { "nc", "l2", "mpbt", "uc", "own" };
    char name[8];
    struct range r = { .to = CORES - 1 };
    int n = sscanf(word, "%7[a-z0-9]=%" SCNx64 ":%" SCNx64 ":%u:%u", name, &r.lo, &r.hi, &r.from, &r.to);
    if (n < 3 || n == 4 || r.lo >= r.hi || r.from > r.to || r.from >= n_vcpus || r.lo % MAX_LINE || r.hi % MAX_LINE)
        return false;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        bool owner = i == 4;
        unsigned *count = owner ? &n_owned : &n_cached;
        if (strcmp(name, names[i]) != 0 || (owner && n != 5) || *count == RANGES)
            continue;
        if (r.to >= n_vcpus)
            r.to = n_vcpus - 1;
        r.type = owner ? WRITE_BACK : (enum type)i;
        r.lines = owner ? NULL : calloc((r.hi - r.lo) / 32, sizeof(struct line *));
        (owner ? owned : cached)[(*count)++] = r;
        return owner || r.lines;
    }
    return false;
}

static bool option(const char *word)
{
    if (sscanf(word, "line=%u", &line_size) == 1)
        return line_size == 32 || line_size == 64;
    if (sscanf(word, "uncached=%u:%u", &uncached_from, &uncached_to) == 2)
        return uncached_from <= uncached_to && uncached_to < CORES;
    if (sscanf(word, "va=%" SCNx64 ":%" SCNx64, &va_lo, &va_hi) == 2)
        return va_lo < va_hi;
    if (strncmp(word, "out=", 4) == 0)
        return !out && (out = fopen(word + 4, "w"));
    return order_option(word) || page_option(word) || clock_option(word, n_vcpus) || range_option(word);
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    i386 = !strcmp(info->target_name, "i386");
    n_vcpus = (unsigned)info->system.vcpus;
    if (n_vcpus > CORES) {
        fprintf(stderr, "coherence: more than %u cores\n", CORES);
        return -1;
    }
    for (int i = 0; i < argc; i++)
        if (!option(argv[i])) {
            fprintf(stderr, "coherence: option '%s' cannot be used\n", argv[i]);
            return -1;
        }
    if (!out) {
        fprintf(stderr, "coherence: out=FILE is missing\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
