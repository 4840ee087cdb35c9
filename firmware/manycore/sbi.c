/* SPDX-License-Identifier: MIT */
/*
 * sbi.c - the calls of a cluster's kernel: the base, debug console, timer, IPI, hart state management and system reset
 * extensions of the RISC-V Supervisor Binary Interface 2.0, the legacy console, and an extension of its own for devices
 * (device.c). docs/boards.md has a table of them.
 *
 * A kernel may name only addresses in its slice and harts of its cluster; everything else is refused before anything is
 * changed. The work of a call is bounded by PIECE bytes or by the harts of a cluster.
 */
#include "csr.h"
#include "hart.h"
#include "sbi.h"

#define PIECE                                                                                                          \
    256 /* bytes that one console call takes; the caller has to call again for the rest, by the specification */

enum {
    EID_LEGACY_SET_TIMER = 0,
    EID_LEGACY_PUTCHAR = 1,
    EID_LEGACY_GETCHAR = 2,
    EID_LEGACY_SHUTDOWN = 8,
    EID_BASE = 0x10,
    EID_TIME = 0x54494d45,
    EID_IPI = 0x735049,
    EID_HSM = 0x48534d,
    EID_SRST = 0x53525354,
    EID_DBCN = 0x4442434e,
    EID_DEVICE = 0x0a00414d, /* of this firmware: device.c */
};

enum { SPEC_VERSION = 2 << 24, IMPLEMENTATION = 0x414d, VERSION = FW_VERSION }; /* 2.0; "AM", not registered */

static struct result console_call(struct hart *me, ulong function, const ulong *a)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    char byte = (char)a[0];
    if (function == 2) {
        console_put(me->cluster, &byte, 1);
        return done(0);
    }
    if (function > 2)
        return failed(SBI_ERR_NOT_SUPPORTED);
    if (!in_slice(own, a[1], a[2], a[0]))
        return failed(SBI_ERR_INVALID_PARAM);
    ulong size = a[0] < PIECE ? a[0] : PIECE;
    if (function == 1)
        return done(console_get(me->cluster, (char *)a[1], size));
    console_put(me->cluster, (const char *)a[1], size);
    return done(size);
}

/* On rv32 the time is in two registers. */
static struct result timer_call(struct hart *me, ulong function, const ulong *a)
{
    (void)me;
    if (function)
        return failed(SBI_ERR_NOT_SUPPORTED);
#if __riscv_xlen == 32
    csr_write(STIMECMP, ~0ul);
    csr_write(STIMECMPH, a[1]);
#endif
    csr_write(STIMECMP, a[0]);
    return done(0);
}

static struct result ipi_call(struct hart *me, ulong function, const ulong *a)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    ulong mask = a[0], base = a[1];
    if (function)
        return failed(SBI_ERR_NOT_SUPPORTED);
    fence_io();
    if (base == ~0ul) {
        for (u32 i = 0; i < own->n_harts; i++)
            bell_ring(cluster_hart(own, i));
        return done(0);
    }
    for (unsigned i = 0; i < __riscv_xlen; i++)
        if (mask >> i & 1 && (base + i < base || !own_hart(own, base + i)))
            return failed(SBI_ERR_INVALID_PARAM);
    for (unsigned i = 0; i < __riscv_xlen; i++)
        if (mask >> i & 1)
            bell_ring((u32)(base + i));
    return done(0);
}

static struct result start_hart(struct hart *me, const ulong *a)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    struct hart *hart = own_hart(own, a[0]);
    u32 expected = HART_STOPPED;
    if (!hart)
        return failed(SBI_ERR_INVALID_PARAM);
    if (!in_slice(own, a[1], 0, 4) || a[1] % 2)
        return failed(SBI_ERR_INVALID_ADDRESS);
    if (!__atomic_compare_exchange_n(&hart->state, &expected, HART_CLAIMED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return failed(SBI_ERR_ALREADY_AVAILABLE);
    hart->start = a[1];
    hart->opaque = a[2];
    __atomic_store_n(&hart->state, HART_START_PENDING, __ATOMIC_RELEASE);
    mswi_ring((u32)a[0]);
    return done(0);
}

static struct result hart_status(const struct hart *hart)
{
    static const u8 status[] = {
        [HART_STARTED] = 0, [HART_STOPPED] = 1, [HART_CLAIMED] = 2, [HART_START_PENDING] = 2, [HART_SUSPENDED] = 4
    };
    return hart ? done(status[__atomic_load_n(&hart->state, __ATOMIC_ACQUIRE)]) : failed(SBI_ERR_INVALID_PARAM);
}

/* Retentive suspend: wait until an interrupt is pending that sie or the firmware has enabled. */
static struct result suspend(struct hart *me, ulong type)
{
    if ((u32)type)
        return failed((u32)type == 0x80000000 ? SBI_ERR_NOT_SUPPORTED : SBI_ERR_INVALID_PARAM);
    __atomic_store_n(&me->state, HART_SUSPENDED, __ATOMIC_RELEASE);
    wfi();
    __atomic_store_n(&me->state, HART_STARTED, __ATOMIC_RELEASE);
    return done(0);
}

static struct result hart_call(struct hart *me, ulong function, const ulong *a)
{
    switch (function) {
    case 0: return start_hart(me, a);
    case 1: __atomic_store_n(&me->state, HART_STOPPED, __ATOMIC_RELEASE); hart_park(me);
    case 2: return hart_status(own_hart(cluster_table(me->cluster), a[0]));
    case 3: return suspend(me, a[0]);
    default: return failed(SBI_ERR_NOT_SUPPORTED);
    }
}

/* An I/O cluster resets or stops the board; a compute cluster restarts or stops only itself. */
static struct result reset_call(struct hart *me, ulong function, const ulong *a)
{
    ulong type = (u32)a[0], reason = (u32)a[1];
    if (function)
        return failed(SBI_ERR_NOT_SUPPORTED);
    if (type > 2 || reason > 1)
        return failed(SBI_ERR_INVALID_PARAM);
    if (cluster_table(me->cluster)->kind == FW_IO) {
        *reg32(FINISHER) = type ? FINISH_RESET : reason ? 1 << 16 | FINISH_FAIL : FINISH_PASS;
        return failed(SBI_ERR_FAILED);
    }
    cluster_order(me, type ? ORDER_RESTART : ORDER_STOP);
    hart_park(me);
}

static struct result base_call(struct hart *me, ulong function, const ulong *a);

static const struct extension {
    ulong id;
    struct result (*call)(struct hart *me, ulong function, const ulong *a);
} extensions[] = {
    { EID_DBCN, console_call }, { EID_TIME, timer_call }, { EID_IPI, ipi_call },       { EID_HSM, hart_call },
    { EID_SRST, reset_call },   { EID_BASE, base_call },  { EID_DEVICE, device_call },
};

static const struct extension *find(ulong id)
{
#pragma GCC unroll 8 /* gcc does up to six by itself; without it a call takes 17 instructions more */
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
        if (extensions[i].id == id)
            return &extensions[i];
    return NULL;
}

static bool is_legacy(ulong id)
{
    return id == EID_LEGACY_SET_TIMER || id == EID_LEGACY_PUTCHAR || id == EID_LEGACY_GETCHAR ||
           id == EID_LEGACY_SHUTDOWN;
}

static struct result base_call(struct hart *me, ulong function, const ulong *a)
{
    (void)me;
    switch (function) {
    case 0: return done(SPEC_VERSION);
    case 1: return done(IMPLEMENTATION);
    case 2: return done(VERSION);
    case 3: return done(find(a[0]) || is_legacy(a[0]));
    case 4: return done(csr_read(mvendorid));
    case 5: return done(csr_read(marchid));
    case 6: return done(csr_read(mimpid));
    default: return failed(SBI_ERR_NOT_SUPPORTED);
    }
}

/* These return one value, in a0. */
static long legacy_call(struct hart *me, ulong id, const ulong *a)
{
    static const ulong shutdown[] = { 0, 0 };
    char byte = (char)a[0];
    switch (id) {
    case EID_LEGACY_SET_TIMER: return timer_call(me, 0, a).error;
    case EID_LEGACY_PUTCHAR: console_put(me->cluster, &byte, 1); return 0;
    case EID_LEGACY_GETCHAR: return console_get(me->cluster, &byte, 1) ? (u8)byte : -1;
    default: return reset_call(me, 0, shutdown).error;
    }
}

void sbi_call(struct hart *me, struct frame *frame)
{
    ulong *a = &frame->x[REG_A0], id = frame->x[REG_A7];
    const struct extension *extension = find(id);
    if (is_legacy(id)) {
        a[0] = (ulong)legacy_call(me, id, a);
        return;
    }
    struct result result = extension ? extension->call(me, frame->x[REG_A6], a) : failed(SBI_ERR_NOT_SUPPORTED);
    a[0] = (ulong)result.error;
    a[1] = result.value;
}
