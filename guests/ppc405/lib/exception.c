/* SPDX-License-Identifier: MIT */
/* exception.c - dispatches an exception: to the try() in progress, or to an installed handler; otherwise it ends the
 * program. */
#include <guest.h>

void try_enter(void);
__noreturn void try_leave(void);
void exception(struct frame *f);

static exception_handler handlers[0x2100 / 16];
static struct frame *trying;

void on_exception(u32 vector, exception_handler handler) { handlers[vector / 16] = handler; }

void try(struct frame *f)
{
    trying = f;
    *(struct frame *)TRY = *f;
    try_enter();
}

void exception(struct frame *f)
{
    if (trying) {
        *trying = *f;
        trying = NULL;
        try_leave();
    }
    if (handlers[f->vector / 16]) {
        handlers[f->vector / 16](f);
        return;
    }
    print("guest: exception %04x pc=%08x msr=%08x esr=%08x dear=%08x lr=%08x\n", f->vector, f->pc, f->msr, f->esr,
          f->dear, f->lr);
    power_off();
}
