/* SPDX-License-Identifier: MIT */
/* A turn of a guest in ring 1: what it has of CR0 is the processor's while it runs, and not while the kernel does,
 * which may switch to another owner of the floating-point unit at an interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "para.h"
#include <arch/cpu.h>

#define OWN 0x80010033ul /* of the kernel: PG, WP, NE, ET, MP, PE */

unsigned long host_cr0 = OWN, host_cr2;
static struct para_state state;
static struct para_regs regs;
static struct shadow shadow;
static struct hal_vcpu v = { .state = &state, .regs = &regs, .shadow = &shadow };
static unsigned interrupts;
static u32 vectors[3], turns; /* why the guest leaves, each time */

u32 para_enter(struct para_state *s, u32 cr3)
{
    assert_true(host_cr0 == ((OWN & ~0xeul) | (v.cr0 & 0xe)));
    regs.vector = vectors[turns++];
    return 0;
}

void trap_dispatch(struct trap_frame *f)
{
    assert_true(host_cr0 == OWN);
    interrupts++;
}

enum done para_call(struct hal_vcpu *of, struct vcpu_exit *e)
{
    assert_true(host_cr0 == OWN);
    v.cr0 ^= CR0_FPU; /* as an instruction of the guest's does */
    return DONE;
}

/* What else run.c stands on. */
const char para_not[] = "";
const char *para_lines(struct hal_vcpu *of) { return NULL; }
const char *para_deliver(struct hal_vcpu *of, unsigned vector, bool has_error, u32 error) { return NULL; }
const char *para_int(struct hal_vcpu *of, unsigned vector) { return NULL; }
enum fault para_fault(struct hal_vcpu *of, u32 va, u32 *error, u32 *gpa) { return FAULT_FILLED; }
enum done para_emulate(struct hal_vcpu *of, struct vcpu_exit *e) { return NOT_OURS; }
bool para_reload(struct hal_vcpu *of, u32 selector) { return false; }
u8 *para_at(struct hal_vcpu *of, u32 va, u32 access) { return NULL; }
void para_cpuid(struct hal_vcpu *of) {}
void shadow_flush(struct shadow *s) {}
bool vcpu_interruptible(const struct hal_vcpu *of) { return false; }
void printk(const char *fmt, ...) {}

static void run(u32 cr0)
{
    struct vcpu_exit e;
    v.cr0 = cr0;
    turns = interrupts = 0;
    vcpu_run(&v, &e);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(interrupts, 1);
    assert_true(host_cr0 == OWN);
}

static void the_kernel_has_its_own_control_register(void **unused)
{
    vectors[0] = VEC_TIMER;
    for (u32 bits = 0; bits < 16; bits += 2)
        run(CR0_PE_ET | bits);
    vectors[0] = PARA_VECTOR;
    vectors[1] = VEC_NMI;
    for (u32 bits = 0; bits < 16; bits += 2)
        run(CR0_PE_ET | bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_kernel_has_its_own_control_register) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
