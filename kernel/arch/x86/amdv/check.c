/* SPDX-License-Identifier: MIT */
/*
 * check.c - the checked mode: before each VMRUN it asserts rules that silicon enforces (APM 15.5.1), rules that silicon
 * relies on (clean bits, 15.15; ASIDs, 15.16), and rules for isolation (intercepts that must never be off).
 *
 * Clean bits are compared with a copy of the cached groups that is taken at each #VMEXIT; ASIDs with a table of their
 * users since the core's last full flush.
 */
#include <arch/cpu.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <string.h>

#define ASIDS_TRACKED 64
#define CR0_PE        1ul
#define CR0_NW        (1ul << 29)
#define CR0_CD        (1ul << 30)
#define CR0_PG        (1ul << 31)
#define CR4_RESERVED  ~0x1fffffful /* CET is bit 23, PKE 22, bits above 24 are undefined */
#define EFER_RESERVED ~0x27fd01ul
#define INTERCEPTS1                                                                                                    \
    (INT1_INTR | INT1_NMI | INT1_INIT | INT1_CPUID | INT1_INVD | INT1_HLT | INT1_IOIO | INT1_MSR | INT1_SHUTDOWN)
#define INTERCEPTS2 (INT2_AMDV | INT2_WBINVD)

const bool amdv_checked = true;

static struct core_state {
    struct vmcb copy; /* of the vCPU that ran last */
    const struct hal_vcpu *last;
    const struct hal_vcpu *owner[ASIDS_TRACKED];
} storage[4]; /* checked builds run on boards with few cores; further cores are not checked */

static const char *broken_state(const struct vmcb *b)
{
    if (!(b->efer & EFER_SVME))
        return "EFER.SVME is clear";
    if (!(b->cr0 & CR0_CD) && (b->cr0 & CR0_NW))
        return "CR0.NW without CR0.CD";
    if (b->cr0 >> 32 || b->dr6 >> 32 || b->dr7 >> 32)
        return "high half of CR0, DR6 or DR7";
    if (b->cr4 & CR4_RESERVED || b->efer & EFER_RESERVED)
        return "reserved bits of CR4 or EFER";
    if (b->efer & EFER_LME && b->cr0 & CR0_PG) {
        if (!(b->cr4 & CR4_PAE))
            return "long mode without CR4.PAE";
        if (!(b->cr0 & CR0_PE))
            return "long mode without CR0.PE";
        if ((b->cs.attributes & (SEGMENT_LONG | SEGMENT_BIG)) == (SEGMENT_LONG | SEGMENT_BIG))
            return "CS.L and CS.D in long mode";
    }
    return NULL;
}

static bool pat_ok(u64 pat)
{
    for (unsigned i = 0; i < 64; i += 8)
        if ((pat >> i & 0xff) > 7 || (pat >> i & 6) == 2)
            return false;
    return true;
}

static const char *broken_event(u64 event)
{
    unsigned vector = event & 0xff, type = event >> 8 & 7;
    if (!(event & EVENT_VALID))
        return NULL;
    if (type == 1 || type > 4)
        return "event of a reserved type";
    if (type == 3 && (vector == 2 || vector > 31))
        return "exception event with a vector that is none";
    return NULL;
}

const char *amdv_broken_rule(const struct vmcb *b, u32 features, u32 asids, u64 maxphys)
{
    const char *rule = broken_state(b);
    if (rule || (rule = broken_event(b->event_inject)))
        return rule;
    if ((b->intercept1 & INTERCEPTS1) != INTERCEPTS1 || (b->intercept2 & INTERCEPTS2) != INTERCEPTS2)
        return "an intercept that isolation needs is off";
    if (!b->asid || b->asid >= asids)
        return "ASID out of range";
    if ((b->iopm | b->msrpm | b->ncr3) & 0xfff || b->iopm + 3 * PAGE_SIZE > maxphys ||
        b->msrpm + 2 * PAGE_SIZE > maxphys || b->ncr3 >= maxphys)
        return "a table is not where one can be";
    if (!(b->np_enable & 1) || !pat_ok(b->pat))
        return "nested paging off or PAT malformed";
    if (!(b->vintr & VINTR_MASKING))
        return "virtual interrupt masking is off";
    if (b->tlb_control && b->tlb_control != TLB_FLUSH_ALL &&
        !(b->tlb_control == TLB_FLUSH_GUEST && features & AMDV_FLUSH_ASID))
        return "TLB control that this processor has not";
    return NULL;
}

#define SAME(first, last)                                                                                              \
    (!memcmp(&b->first, &old->first, offsetof(struct vmcb, last) + sizeof(b->last) - offsetof(struct vmcb, first)))

/* Find a group that has changed though its clean bit is set. */
static const char *lying_clean_bit(const struct vmcb *b, const struct vmcb *old)
{
    u32 c = b->clean;
    if ((c & CLEAN_INTERCEPTS &&
         !(SAME(intercept_cr, intercept3) && SAME(pause_threshold, pause_count) && SAME(tsc_offset, tsc_offset))) ||
        (c & CLEAN_PERM_MAPS && !SAME(iopm, msrpm)) || (c & CLEAN_ASID && b->asid != old->asid))
        return "clean bit lies: intercepts, maps or ASID";
    if ((c & CLEAN_VINTR && !SAME(vintr, vintr_vector)) || (c & CLEAN_NP && !(SAME(ncr3, ncr3) && SAME(pat, pat))))
        return "clean bit lies: virtual interrupt or nested paging";
    if ((c & CLEAN_CR && !(SAME(cr4, cr0) && SAME(efer, efer))) || (c & CLEAN_DR && !SAME(dr7, dr6)) ||
        (c & CLEAN_DT && !(SAME(gdtr, gdtr) && SAME(idtr, idtr))))
        return "clean bit lies: control, debug or table registers";
    if ((c & CLEAN_SEG && !(SAME(es, ds) && SAME(cpl, cpl))) || (c & CLEAN_CR2 && b->cr2 != old->cr2))
        return "clean bit lies: segments or CR2";
    return NULL;
}

static const char *broken_asid(struct core_state *s, const struct hal_vcpu *v)
{
    const struct vmcb *b = v->vmcb;
    if (b->tlb_control == TLB_FLUSH_ALL)
        memset(s->owner, 0, sizeof(s->owner));
    if (b->asid >= ASIDS_TRACKED)
        return NULL;
    if (s->owner[b->asid] && s->owner[b->asid] != v)
        return "two vCPUs share an ASID without a flush between them";
    s->owner[b->asid] = v;
    return NULL;
}

const char *amdv_check_entry(const struct hal_vcpu *v)
{
    struct core_state *s = v->core < ARRAY_SIZE(storage) ? &storage[v->core] : NULL;
    const struct vmcb *b = v->vmcb;
    const char *rule = amdv_broken_rule(b, amdv_features, amdv_asids, 1ul << 52);
    if (rule || !s)
        return rule;
    if (s->last == v)
        rule = lying_clean_bit(b, &s->copy);
    return rule ? rule : broken_asid(s, v);
}

static bool checked_exit(struct hal_vcpu *v)
{
    struct core_state *s = v->core < ARRAY_SIZE(storage) ? &storage[v->core] : NULL;
    if (s) {
        memcpy(&s->copy, v->vmcb, sizeof(s->copy));
        s->last = v;
    }
    return amdv_fast(v) && !amdv_check_entry(v);
}

bool (*const amdv_on_exit)(struct hal_vcpu *v) = checked_exit;
