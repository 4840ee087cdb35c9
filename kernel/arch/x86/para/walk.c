/* SPDX-License-Identifier: MIT */
/* walk.c - the guest's own page tables, as a Pentium walks them (Developer's Manual vol. 3, 11.3), and its memory by
 * them. */
#include "para.h"

#include <errors.h>
#include <string.h>

#define LARGE_FRAME 0xffc00000u
#define CR0_PAGED   0x80000000u
#define CR0_GUARDED 0x10000u /* WP: ring 1 may not write read-only pages either */

static inline u32 *table_word(struct hal_vcpu *v, u32 at, u32 index)
{
    u32 rights;
    u8 *page = para_page(v->memory, at, true, &rights);
    return page ? (u32 *)page + index : NULL;
}

u32 para_walk(struct hal_vcpu *v, u32 va, u32 access, u32 *present)
{
    *present = 0;
    if (!(v->cr0 & CR0_PAGED))
        return (va & ENTRY_FRAME) | ENTRY_P | ENTRY_W | ENTRY_U | ENTRY_D;
    u32 *directory = table_word(v, v->cr3, va >> 22);
    if (!directory || !(*directory & ENTRY_P))
        return 0;
    u32 *entry = directory, rights = *directory, frame = (*directory & LARGE_FRAME) | (va & ~LARGE_FRAME & ENTRY_FRAME);
    if (!(*directory & ENTRY_PS) || !(v->cr4 & CR4_LARGE)) {
        entry = table_word(v, *directory, va >> 12 & 1023);
        if (!entry || !(*entry & ENTRY_P))
            return 0;
        rights &= *entry;
        frame = *entry & ENTRY_FRAME;
    }
    *present = 1;
    if (access & ACCESS_USER && !(rights & ENTRY_U))
        return 0;
    if (access & ACCESS_WRITE && !(rights & ENTRY_W) && (access & ACCESS_USER || v->cr0 & CR0_GUARDED))
        return 0;
    bool over = access & ACCESS_WRITE && !(rights & ENTRY_W); /* allowed without WP; not to be shown to programs */
    *directory |= ENTRY_A;
    *entry |= ENTRY_A | (access & ACCESS_WRITE ? ENTRY_D : 0);
    if (over)
        return frame | ENTRY_P | ENTRY_W | ENTRY_D | (*entry & ENTRY_G);
    return frame | ENTRY_P | (rights & ENTRY_U) | (*entry & ENTRY_D ? rights & ENTRY_W : 0) |
           (*entry & (ENTRY_D | ENTRY_G));
}

__noinline u8 *para_find(struct hal_vcpu *v, u32 va, u32 access)
{
    u32 unused, entry = para_walk(v, va, access, &unused);
    u8 *page = entry ? para_page(v->memory, entry, access & ACCESS_WRITE, &unused) : NULL;
    if (!page)
        return NULL;
    unsigned place = para_place_of(va, access);
    v->kept[place] = (struct para_kept){ para_key(va, access), page };
    para_strong_kept(page, place);
    v->kept_local = (v->kept_local & ~(1u << place)) | (entry & ENTRY_G ? 0 : 1u << place);
    return page + (va & ~ENTRY_FRAME);
}

void para_drop(struct hal_vcpu *v, bool global)
{
    u32 which = global ? v->kept_local : (1u << PARA_KEPT) - 1;
    for (; which; which &= which - 1)
        v->kept[__builtin_ctz(which)].key = 0;
    v->kept_local = 0;
    para_strong_forget();
}

void para_drop_page(struct hal_vcpu *v, u32 va)
{
    para_strong_forget();
    for (u32 access = 0; access <= ACCESS_WRITE; access += ACCESS_WRITE) {
        struct para_kept *k = &v->kept[para_place_of(va, access)];
        if (k->key == para_key(va, access))
            k->key = 0;
    }
}

int vcpu_read(struct hal_vcpu *v, void *to, u32 from, u32 n)
{
    while (n) {
        u32 piece = MIN(n, PAGE_SIZE - (from & ~ENTRY_FRAME));
        const u8 *at = para_at(v, from, 0);
        if (!at)
            return -EFAULT;
        memcpy(to, at, piece);
        to = (u8 *)to + piece;
        from += piece;
        n -= piece;
    }
    return 0;
}

/* A word across pages is written by bytes. */
int para_put(struct hal_vcpu *v, u32 va, u32 word)
{
    unsigned step = (va & ~ENTRY_FRAME) > PAGE_SIZE - 4 ? 1 : 4;
    for (unsigned i = 0; i < 4; i += step) {
        u8 *at = para_at(v, va + i, ACCESS_WRITE);
        if (!at)
            return -EFAULT;
        memcpy(at, (const u8 *)&word + i, step);
    }
    return 0;
}
