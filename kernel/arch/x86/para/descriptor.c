/* SPDX-License-Identifier: MIT */
/*
 * descriptor.c - the guest's descriptor table, copied and cleaned: the processor has ours, in which nothing is of
 * ring 0 but our own segments, and no gate or task state but ours.
 *
 * Segments' limits protect nothing of ours: page tables do. Code of ring 1 is flat whatever the guest says, so that our
 * stub for INT 0x80 is what is executed at its address. A table of the guest's that changes after LGDT is seen when
 * a selector is loaded that has nothing, for the entries of threads, and by PARA_TLS.
 */
#include "para.h"

#include <errors.h>

#define PRESENT  (1ull << 47)
#define SEGMENT  (1ull << 44) /* code or data, no system descriptor */
#define ACCESSED (1ull << 40) /* set: the processor must not write into our table, which is read-only */
#define CODE     (1ull << 43)
#define DPL(d)   ((u32)((d) >> 45) & 3)
#define FLAT     0x00cfbb000000ffffull /* code of ring 1, all addresses, of 32 bits, readable */
#define TLS      6                     /* first of the three entries that Linux gives threads */
#define TLS_N    3

u64 descriptor_clean(u64 d)
{
    if (!(d & PRESENT) || !(d & SEGMENT))
        return 0;
    if (DPL(d) < 3)
        d = d & CODE ? FLAT : (d & ~(3ull << 45)) | 1ull << 45;
    return d | ACCESSED;
}

static bool names(u32 selector, unsigned index) { return (u16)selector >> 3 == index; }

/* A segment register keeps its descriptor after that has gone from the table. We load it anew at each entry, so what a
 * register names stays until another descriptor comes. */
static bool is_named(const struct para_regs *r, unsigned index)
{
    return names(r->cs, index) || names(r->ss, index) || names(r->ds, index) || names(r->es, index) ||
           names(r->fs, index) || names(r->gs, index);
}

static u64 read_descriptor(struct hal_vcpu *v, unsigned index)
{
    u64 d = 0;
    if (index * 8 + 7 > v->gdt_limit || vcpu_read(v, &d, v->gdt + index * 8, 8))
        return 0;
    return descriptor_clean(d);
}

void para_load_gdt(struct hal_vcpu *v, u32 base, u32 limit)
{
    v->gdt = base;
    v->gdt_limit = limit;
    for (unsigned i = 1; i < GUEST_DESCRIPTORS; i++) {
        u64 d = read_descriptor(v, i);
        if (d || !is_named(v->regs, i))
            v->state->gdt[i] = d;
    }
}

bool para_reload(struct hal_vcpu *v, u32 selector)
{
    unsigned index = (u16)selector >> 3;
    if (selector & 4 || !index || index >= GUEST_DESCRIPTORS)
        return false;
    u64 d = read_descriptor(v, index);
    if (!d || d == v->state->gdt[index])
        return false;
    v->state->gdt[index] = d;
    return true;
}

/* Code that does not conform, and data that can be written, both of ring 3. */
bool para_loadable(const struct hal_vcpu *v, u32 cs, u32 ss)
{
    u64 code = v->state->gdt[(u16)cs >> 3 & (GUEST_DESCRIPTORS - 1)];
    u64 data = v->state->gdt[(u16)ss >> 3 & (GUEST_DESCRIPTORS - 1)];
    bool ours = (u16)cs >> 3 < GUEST_DESCRIPTORS && (u16)ss >> 3 < GUEST_DESCRIPTORS;
    return ours && (cs & 7) == 3 && (ss & 7) == 3 && DPL(code) == 3 && DPL(data) == 3 && (code >> 42 & 3) == 2 &&
           (data >> 41 & 5) == 1;
}

static void drop(u32 *selector)
{
    unsigned index = (u16)*selector >> 3;
    if (index >= TLS && index < TLS + TLS_N)
        *selector = 0;
}

int para_load_tls(struct hal_vcpu *v, u32 from)
{
    u64 d[TLS_N];
    if (vcpu_read(v, d, from, sizeof(d)))
        return -EFAULT;
    bool gone = false;
    for (unsigned i = 0; i < TLS_N; i++) {
        u64 clean = descriptor_clean(d[i]);
        v->state->gdt[TLS + i] = DPL(clean) == 3 ? clean : 0;
        gone |= DPL(clean) != 3;
    }
    if (gone) { /* Linux loads its own next */
        drop(&v->regs->gs);
        drop(&v->regs->fs);
        drop(&v->regs->es);
        drop(&v->regs->ds);
    }
    return 0;
}
