/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the calls of a guest's kernel (kernel/api/para.yaml) that are its processor's affair. The others are the
 * machine's (vm/para). Each argument that has a limit is compared with it before anything else.
 */
#include "para.h"

#include <errors.h>

static const u32 limits[PARA_CALLS][3] = PARA_LIMITS;

/* On the stack are EAX and a frame. What the processor would refuse to load is left to it, by the IRET before. */
static s32 call_iret(struct hal_vcpu *v)
{
    struct para_regs *r = v->regs;
    u32 word[6], esp = r->esp;
    if (vcpu_read(v, word, esp, 16))
        return -EFAULT;
    bool outer = (word[2] & RING) > 1;
    if (outer && vcpu_read(v, word + 4, esp + 16, 8))
        return -EFAULT;
    if (outer && !para_loadable(v, word[2], word[5])) {
        const u8 *before = para_at(v, r->eip - IRET_CALL, 0);
        if (!before || *before != IRET_CODE)
            return -EINVAL;
        r->eip -= IRET_CALL;
        r->esp = esp + 4;
    } else {
        para_iret(v, word + 1, esp + 4);
    }
    return (s32)word[0];
}

static void forget(struct hal_vcpu *v, u32 va, u32 pages)
{
    for (; pages; pages--, va += PAGE_SIZE)
        para_forget(v, va);
}

/* Whether the arguments are within the limits of a call. If not, that is its result. Those without a limit need not
 * ask. */
static inline bool allowed(struct para_regs *r, u32 number)
{
    const u32 *limit = limits[number - PARA_BASE];
    if (likely(r->ebx <= limit[0] && r->ecx <= limit[1] && r->edx <= limit[2]))
        return true;
    r->eax = (u32)-ERANGE;
    return false;
}

enum done para_call(struct hal_vcpu *v, struct vcpu_exit *e)
{
    struct para_regs *r = v->regs;
    u32 number = r->eax;
    r->eax = 0;
    switch (number) {
    case PARA_EVENTS: break; /* it is the way out of here that delivers them */
    case PARA_IRET: r->eax = (u32)call_iret(v); break;
    case PARA_LOAD_CR3: para_load_cr3(v, r->ebx, r->ecx, r->edx); break;
    case PARA_INVLPG:
        if (allowed(r, PARA_INVLPG))
            forget(v, r->ebx, r->ecx);
        break;
    case PARA_TLS: r->eax = (u32)para_load_tls(v, r->ebx); break;
    case PARA_IDLE:
        shared_set(v, PARA_SHARE_FLAG, RFLAGS_IF);
        e->reason = VCPU_EXIT_IDLE;
        return vcpu_has_interrupt(v) ? DONE : EXIT;
    default:
        if (number - PARA_BASE < PARA_CALLS && !allowed(r, number))
            break;
        r->eax = number;
        e->reason = VCPU_EXIT_HYPERCALL;
        return EXIT;
    }
    return DONE;
}
