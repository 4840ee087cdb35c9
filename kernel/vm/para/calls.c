/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of a guest in ring 1 that its machine does: kernel/api/para.yaml, and calls.yaml for those that
 * may. Limits of the former have been checked. */
#include "machine.h"

#include <chip/guest.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <generated/para_calls.h>

#define WRITE_MOST 256u

static s32 console_write(struct vcpu *v, u32 from, u32 n)
{
    char text[WRITE_MOST];
    if (PARA_STRONG ? strong_read(para_of(v), text, from, n) : vcpu_read(&v->hal, text, from, n))
        return -EFAULT;
    vm_console_write(v->vm, text, n);
    return (s32)n;
}

static s32 console_read(struct para_vcpu *v)
{
    unsigned long flags = spin_lock_irqsave(&v->lock);
    s32 byte = -EAGAIN;
    if (v->n) {
        byte = v->input[v->first];
        v->first = (v->first + 1) % INPUT_BYTES;
        v->n--;
    }
    spin_unlock_irqrestore(&v->lock, flags);
    return byte;
}

static s32 set_timer(struct para_vcpu *v, u32 ticks)
{
    timer_arm(&v->timer, ticks ? time_now() + ticks : TICKS_NEVER);
    return 0;
}

/* A call of all guests, if this one may. */
static s32 common_call(struct vcpu *v)
{
    u32 number = vcpu_call(&v->hal);
    u64 arg[4];
    if ((number & ~0xffffu) != API_BASE || !(v->vm->conf->flags & SYS_HYPERCALLS))
        return -ENOSYS;
    for (unsigned i = 0; i < 4; i++)
        arg[i] = vcpu_argument(&v->hal, i);
    return (s32)vm_hypercall(v, number & 0xffff, arg);
}

static s32 off(struct vcpu *v, u32 how)
{
    if (how)
        vm_reset(v->vm, "the guest asked for a reset");
    else
        vm_power_off(v->vm);
    return 0;
}

void para_machine_call(struct para_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u32 a = vcpu_argument(h, 0), b = vcpu_argument(h, 1);
    s32 result;
    switch (vcpu_call(h)) {
    case PARA_TIMER: result = set_timer(v, a); break;
    case PARA_KHZ: result = (s32)(time_hz / 1000); break;
    case PARA_CONSOLE_WRITE: result = console_write(&v->vcpu, a, b); break;
    case PARA_CONSOLE_READ: result = console_read(v); break;
    case PARA_OFF:
        if (PARA_STRONG)
            strong_ends(v, a);
        result = off(&v->vcpu, a);
        break;
    default:
        result = PARA_STRONG ? strong_call(v) : -ENOSYS;
        if (CHIP_GUESTS && result == -ENOSYS)
            result = chip_guest_call(v->vcpu.vm->conf, vcpu_call(h));
        if (result == -ENOSYS)
            result = common_call(&v->vcpu);
    }
    vcpu_return(h, result);
}
