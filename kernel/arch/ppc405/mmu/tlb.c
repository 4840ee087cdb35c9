/* SPDX-License-Identifier: MIT */
/*
 * tlb.c - the virtual TLB: 64 entries, PID, zones (PPC405 UM chapter 7).
 *
 * Lists make the search short, also if there is no entry: valid 4 KiB pages are in TLB_SETS lists by their address, all
 * other entries in one more. When the guest writes an entry, the old entry's shadows are dropped. If the write makes a
 * page of one address space valid, its shadow is made at once, because the guest is going to use it.
 */
#include "mmu.h"
#include <arch/deliver.h>
#include <partition/partition.h>
#include <string.h>
#include <wcet.h>

#define PAGE_4K 1

/* Bits of struct vm.pid_slow: why a change of PID needs a purge. */
#define SLOW_MIXED  1
#define SLOW_SHARED 2

static u32 space_of(u32 tid) { return tid < SPACE_SHARED - SPACE_PID ? SPACE_PID + tid : SPACE_SHARED; }
static u8 *list_of(struct vm *vm, u32 hi)
{
    return &vm->tlb_list[TLBHI_SIZE_OF(hi) == PAGE_4K ? hi >> 12 & (TLB_SETS - 1) : TLB_LISTS - 1];
}

/* Whether an entry's page contains `ea`. */
static bool covers(u32 hi, u32 ea) { return !((hi ^ ea) >> (10 + (hi >> 6 & 14))); }
/* Whether entry `i` belongs to the current PID or to all PIDs. */
static bool mine(struct vm *vm, u32 i)
{
    u32 tid = vm->tlb_tid[i];
    return !tid || tid == (regs_of(vm)->pid & 0xff);
}

/* One loop serves both lists: together they have at most all entries. */
int guest_tlbsx(struct vm *vm, u32 ea)
{
    u32 next = vm->tlb_list[ea >> 12 & (TLB_SETS - 1)];
    bool others = false;

    for (;;) {
        if (!next) {
            if (others)
                return -1;
            others = true;
            next = vm->tlb_list[TLB_LISTS - 1];
            if (!next)
                return -1;
        }
        LOOP_BOUND(GUEST_TLB);
        u32 i = next - 1;
        if (unlikely(covers(vm->tlb_hi[i], ea)) && mine(vm, i))
            return (int)i;
        next = vm->tlb_next[i];
    }
}

/* Fill in the hardware's zone and the address; rights and storage attributes are copied. */
static void view_of(struct vm *vm, u32 i, u32 ea, struct view *v)
{
    u32 lo = vm->tlb_lo[i], shift = 30 - (lo >> 3 & 0x1e), low;
    v->size = TLBHI_SIZE_OF(vm->tlb_hi[i]);
    low = ~page_mask(v->size);
    v->gpa = (lo & ~low) | (ea & low);
    v->lo = (lo & (TLBLO_EX | TLBLO_WR | 0xf)) | TLBLO_ZSEL(regs_of(vm)->zpr >> shift & 3);
    vm->zones_shadowed |= 3u << shift;
    vm->tlb_hi[i] |= TLB_SHADOWED;
}

/* Drop the 4 KiB page of a space that contains `ea`. */
static void drop_page(u32 space, u32 ea)
{
    hw_set_pid(space);
    int slot = hw_tlb_search(ea);
    if (slot >= 0)
        hw_tlb_drop(slot);
}

/*
 * Translate `ea`. A 4 KiB page of all PIDs has at most two shadows: one in the space of PID 0, which a kernel may use
 * while programs' memory is closed to it (Linux's KUAP), and one in the space of the other PID that used it last.
 */
static bool translate(struct vm *vm, u32 ea, struct view *v)
{
    int i = guest_tlbsx(vm, ea);
    if (i < 0)
        return false;
    u32 space = hw_pid();
    if (TLBHI_SIZE_OF(vm->tlb_hi[i]) == PAGE_4K && vm->tlb_space[i] != space && space != SPACE_PID) {
        drop_page(vm->tlb_space[i], ea);
        hw_set_pid(space);
        vm->tlb_space[i] = (u8)space;
    }
    view_of(vm, i, ea, v);
    return true;
}

/* The board's hardware has no 1 KiB pages (QUIRK_1K). Four of them that form a plain 4 KiB page are shown as one. */
static bool compose(struct vm *vm, u32 ea, struct view *v)
{
    u8 part[4] = { 0 }; /* index + 1 */
    struct view quarter;

    for (u32 next = vm->tlb_list[TLB_LISTS - 1]; next; next = vm->tlb_next[next - 1]) {
        u32 hi = vm->tlb_hi[next - 1];
        LOOP_BOUND(GUEST_TLB);
        if (!((hi ^ ea) & ~0xfffu) && !TLBHI_SIZE_OF(hi) && mine(vm, next - 1))
            part[hi >> 10 & 3] = (u8)next;
    }
    for (u32 n = 0; n < 4; n++) {
        LOOP_BOUND(4);
        if (!part[n])
            return false;
        view_of(vm, part[n] - 1u, n << 10, &quarter);
        if (quarter.lo != v->lo || quarter.gpa != ((v->gpa & ~0xfffu) | n << 10))
            return false;
    }
    v->size = PAGE_4K;
    return true;
}

/*
 * If only data or only instructions are translated, one hardware entry serves both sides. It is in ZONE_OWNER, for the
 * guest's privileged mode only. The page must be the same on the other side or not exist there. A page that is needed
 * as data only is not executable.
 */
u32 translated_view(struct vm *vm, u32 mode, u32 ea, u32 need, u32 *esr, struct view *v)
{
    bool instruction = need == TLBLO_EX, problem = hw_zpr() == ZPR_PROBLEM;
    bool wanted = mode & (instruction ? MODE_INSTRUCTIONS : MODE_DATA); /* translated */
    struct view t = *v;
    bool there = translate(vm, ea, &t), same = there && t.gpa == ea;
    u32 zone = t.lo >> 4 & 3, code = 0;
    u32 rights = zone >= 2u + problem ? TLBLO_EX | TLBLO_WR : t.lo;

    if (wanted) {
        if (!there)
            return instruction ? VEC_ITLB : VEC_DTLB;
        if (zone == ZONE_OWNER && problem)
            *esr |= ESR_DIZ;
        if ((zone == ZONE_OWNER && problem) || need & ~rights)
            return instruction ? VEC_ISI : VEC_DSI;
        *v = t;
    }
    if (mode != MODE_TRANSLATED) {
        u32 governed = mode == MODE_DATA ? TLBLO_WR : TLBLO_EX; /* the right that the translation controls */
        u32 lo = (rights & governed) | (governed ^ (TLBLO_EX | TLBLO_WR));
        if (problem || !t.size || (instruction && !same && (wanted ? area_of(vm, ea) != NULL : there)))
            code = EVENT_TLB_MIXED;
        v->lo = (v->lo & 0xf) | (same ? lo : lo & (instruction ? TLBLO_EX : TLBLO_WR));
        v->size = PAGE_4K;
        vm->pid_slow |= SLOW_MIXED;
    } else if (!v->size && !compose(vm, ea, v))
        code = EVENT_TLB_1K;
    if (!code)
        return 0;
    fault_event(vm, code, ea);
    return REFUSED;
}

/* Purge the spaces whose meaning changes with the guest's PID: 255, and the mixed ones. */
static void purge_shared(struct vm *vm)
{
    if (vm->pid_slow)
        purge(0, 0, SPACE_SHARED, SPACE_PID - SPACE_SHARED + 256);
    vm->pid_slow = vm->space_pid[MODE_TRANSLATED] == SPACE_SHARED ? SLOW_SHARED : 0;
}

void mmu_set_pid(struct vm *vm, u32 value)
{
    value &= 0xff;
    regs_of(vm)->pid = value;
    vm->space_pid[MODE_TRANSLATED] = space_of(value);
    purge_shared(vm);
}

void mmu_set_zpr(struct vm *vm, u32 value)
{
    if ((regs_of(vm)->zpr ^ value) & vm->zones_shadowed)
        mmu_switch(vm);
    regs_of(vm)->zpr = value;
}

static void tlb_clear(struct vm *vm)
{
    for (u32 i = 0; i < GUEST_TLB; i++) {
        LOOP_BOUND(GUEST_TLB);
        vm->tlb_hi[i] = 0;
    }
    memset(vm->tlb_list, 0, sizeof vm->tlb_list);
}

void guest_tlbia(struct vm *vm)
{
    tlb_clear(vm);
    mmu_switch(vm);
}

void tlb_reset(struct vm *vm) { mmu_set_pid(vm, 0); }

/* Drop the shadows of entry `i` by at most two searches of the hardware's TLB. In a mixed mode, which is rare, all
 * shadows are dropped. */
static void forget(struct vm *vm, u32 i)
{
    u32 hi = vm->tlb_hi[i], tid = vm->tlb_tid[i], size = TLBHI_SIZE_OF(hi);
    if (vm->pid_slow & SLOW_MIXED) {
        mmu_switch(vm);
        vm->pid_slow &= ~SLOW_MIXED;
    } else if (!(hi & TLB_SHADOWED))
        return;
    else if (size == PAGE_4K) {
        drop_page(vm->tlb_space[i], hi);
        if (hi & TLB_ALL_PIDS)
            drop_page(SPACE_PID, hi);
    } else if (!tid || size)
        purge(hi, page_mask(size ? size : PAGE_4K), tid ? space_of(tid) : SPACE_MIXED, tid ? 1 : 256 - SPACE_MIXED);
    else
        drop_page(space_of(tid), hi);
    vm->tlb_hi[i] = hi & ~TLB_SHADOWED;
}

static void unlink(struct vm *vm, u32 i)
{
    u8 *p = list_of(vm, vm->tlb_hi[i]);
    while (*p != i + 1) {
        LOOP_BOUND(GUEST_TLB);
        p = &vm->tlb_next[*p - 1];
    }
    *p = vm->tlb_next[i];
}

static void link(struct vm *vm, u32 i)
{
    u8 *list = list_of(vm, vm->tlb_hi[i]);
    vm->tlb_next[i] = *list;
    *list = i + 1;
}

void guest_tlbwe(struct vm *vm, u32 i, u32 ws, u32 value)
{
    i &= GUEST_TLB - 1;
    u32 tid = regs_of(vm)->pid & 0xff;
    struct view v;

    forget(vm, i);
    if (ws) {
        vm->tlb_lo[i] = value;
        return;
    }
    if (vm->tlb_hi[i] & TLBHI_V)
        unlink(vm, i);
    vm->tlb_hi[i] = value & ~0xfu;
    vm->tlb_tid[i] = tid;
    if (!(value & TLBHI_V))
        return;
    if (value & TLBHI_E) {
        vm->tlb_hi[i] = 0;
        partition_event(vm, PT_ON_FAULT, EVENT_TLB_ENDIAN, value);
        return;
    }
    link(vm, i);
    if (!tid)
        vm->tlb_hi[i] |= TLB_ALL_PIDS;
    else if (TLBHI_SIZE_OF(value) == PAGE_4K) {
        view_of(vm, i, value & page_mask(PAGE_4K), &v);
        vm->tlb_space[i] = (u8)space_of(tid);
        fill_page(vm, space_of(tid), value & page_mask(PAGE_4K), &v);
    }
}

u32 guest_tlbre(struct vm *vm, u32 i, u32 ws)
{
    i &= GUEST_TLB - 1;
    if (ws)
        return vm->tlb_lo[i];
    mmu_set_pid(vm, vm->tlb_tid[i]);
    return vm->tlb_hi[i] & ~(TLB_SHADOWED | TLB_ALL_PIDS);
}
