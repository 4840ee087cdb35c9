/* SPDX-License-Identifier: MIT */
/*
 * guest_walk.c - the four shapes of x86 page tables in one loop (APM vol. 2 5.2, 5.3):
 * levels, index width and entry size differ, the rest is the same.
 */
#include <arch/guest_walk.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

#define CR0_PG   (1ull << 31)
#define CR0_WP   (1ull << 16)
#define CR4_PSE  (1ull << 4)
#define CR4_PAE  (1ull << 5)
#define CR4_LA57 (1ull << 12)
#define EFER_LMA (1ull << 10)
#define PTE_P    1u
#define PTE_W    2u
#define PTE_U    4u
#define PTE_PS   0x80u
#define ADDR_52  0x000ffffffffff000ull

struct shape {
    unsigned levels, index_bits, entry_size;
    u64 root;
};

static struct shape shape_of(const struct guest_paging *p)
{
    if (p->efer & EFER_LMA)
        return (struct shape){ p->cr4 & CR4_LA57 ? 5 : 4, 9, 8, p->cr3 & ADDR_52 };
    if (p->cr4 & CR4_PAE)
        return (struct shape){ 3, 9, 8, p->cr3 & 0xffffffe0u };
    return (struct shape){ 2, 10, 4, p->cr3 & 0xfffff000u };
}

static bool canonical(u64 va, const struct shape *s)
{
    unsigned unused = 64 - 12 - s->levels * 9;
    return (u64)((s64)(va << unused) >> unused) == va;
}

/* May the entry at `level` be a page itself? */
static bool may_be_large(const struct guest_paging *p, const struct shape *s, unsigned level)
{
    if (s->entry_size == 4)
        return level == 2 && (p->cr4 & CR4_PSE);
    return level == 2 || (level == 3 && s->levels > 3);
}

static gpa_t large_page(const struct shape *s, u64 pte, unsigned shift, u64 va)
{
    u64 mask = (1ull << shift) - 1, base = pte & ADDR_52;

    if (s->entry_size == 4) /* PSE-36: bits 13-20 are address bits 32-39 */
        base = (pte & 0xffc00000u) | (pte >> 13 & 0xff) << 32;
    return (base & ~mask) | (va & mask);
}

int guest_walk(const struct guest_paging *p, u64 va, bool write, gpa_t *gpa)
{
    struct shape s = shape_of(p);
    u64 table = s.root;
    u32 rights = PTE_W | PTE_U;

    if (!(p->efer & EFER_LMA))
        va = (u32)va;
    if (!(p->cr0 & CR0_PG)) {
        *gpa = va;
        return 0;
    }
    if (s.levels > 3 && !canonical(va, &s))
        return -EFAULT;
    unsigned shift = PAGE_SHIFT + s.levels * s.index_bits;
    for (unsigned level = s.levels;; level--) {
        shift -= s.index_bits;
        u64 offset = (va >> shift) * s.entry_size & (PAGE_SIZE - 1);
        const void *at = guest_ptr(p->memory, table + offset, s.entry_size);
        if (!at)
            return -EFAULT;
        u64 pte = s.entry_size == 8 ? get64(at) : get32(at);
        if (!(pte & PTE_P))
            return -EFAULT;
        if (!(s.levels == 3 && level == 3)) /* the four PDPTEs of PAE carry no rights */
            rights &= (u32)pte;
        table = pte & ADDR_52;
        if (level == 1) {
            *gpa = table | (va & (PAGE_SIZE - 1));
            break;
        }
        if (pte & PTE_PS && may_be_large(p, &s, level)) {
            *gpa = large_page(&s, pte, shift, va);
            break;
        }
    }
    if (p->user && !(rights & PTE_U))
        return -EFAULT;
    if (write && !(rights & PTE_W) && (p->user || (p->cr0 & CR0_WP)))
        return -EFAULT;
    return 0;
}

void *guest_part(const struct guest_paging *p, u64 va, bool write, u64 *len)
{
    gpa_t gpa;

    *len = MIN(*len, PAGE_SIZE - (va & (PAGE_SIZE - 1)));
    return guest_walk(p, va, write, &gpa) ? NULL : guest_ptr(p->memory, gpa, *len);
}

u64 guest_read_va(const struct guest_paging *p, u64 va, void *buf, u64 len)
{
    for (u64 done = 0, n; done < len; done += n) {
        n = len - done;
        const void *from = guest_part(p, va + done, false, &n);
        if (!from)
            return done;
        memcpy((u8 *)buf + done, from, n);
    }
    return len;
}

u64 guest_write_va(const struct guest_paging *p, u64 va, const void *buf, u64 len)
{
    for (u64 done = 0, n; done < len; done += n) {
        n = len - done;
        void *to = guest_part(p, va + done, true, &n);
        if (!to)
            return done;
        memcpy(to, (const u8 *)buf + done, n);
    }
    return len;
}
