/* SPDX-License-Identifier: MIT */
/* A turn of a guest in ring 1: what it has of CR0 is the processor's while it runs, and not while the kernel does,
 * which may switch to another owner of the floating-point unit at an interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <string.h>
#include "para.h"
#include <arch/cpu.h>

#define OWN 0x80010033ul /* of the kernel: PG, WP, NE, ET, MP, PE */

unsigned long host_cr0 = OWN, host_cr2;
static struct para_state state;
static struct {
    u32 more[VM_MORE / 4];
    struct para_regs regs;
} page;
static u32 left = PARA_REGS + PAGE_SIZE - REGS_SIZE; /* where the registers are */
static struct shadow shadow;
static u32 shared_page[1024];
static struct hal_vcpu v = { .state = &state, .regs = &page.regs, .shared = shared_page, .shadow = &shadow };
static unsigned interrupts;
static bool own_task; /* the processor has the kernel's task state */
static unsigned delivered;
static enum fault found = FAULT_FILLED;
static u32 vectors[3], turns; /* why the guest leaves, each time */

u32 para_enter(struct para_state *s, u32 cr3)
{
    assert_true(host_cr0 == ((OWN & ~0xeul) | (v.cr0 & 0xe)));
    page.regs.vector = vectors[turns++];
    if (left == PARA_REGS + PAGE_SIZE - REGS_SIZE - VM_MORE)
        memmove(page.more, &page.regs, sizeof(page.regs));
    return left;
}

void trap_dispatch(struct trap_frame *f)
{
    assert_true(host_cr0 == OWN && own_task);
    interrupts++;
}

enum done para_call(struct hal_vcpu *of, struct vcpu_exit *e)
{
    assert_true(host_cr0 == OWN);
    v.cr0 ^= CR0_FPU; /* as an instruction of the guest's does */
    return DONE;
}

/* What else run.c stands on. */
const char para_not[] = "", para_window[] = "";
static const char *lines; /* what para_lines() finds */
const char *para_lines(struct hal_vcpu *of) { return lines; }
const char *para_deliver(struct hal_vcpu *of, unsigned vector, const u32 *error)
{
    delivered = vector;
    return NULL;
}
bool para_enter_handler(struct hal_vcpu *of) { return false; }
const char *para_int(struct hal_vcpu *of, unsigned vector) { return NULL; }
enum fault para_fault(struct hal_vcpu *of, u32 va, u32 *error, u32 *gpa) { return found; }
enum done para_emulate(struct hal_vcpu *of, struct vcpu_exit *e) { return NOT_OURS; }
bool para_reload(struct hal_vcpu *of, u32 selector) { return false; }
void para_mmio(struct hal_vcpu *of, struct vcpu_exit *e, u32 va, u32 gpa) {}
#define CODE 0x1ffcu /* of the guest: the macro for IRET, over the border of a page */
static u8 code[] = { 0xff, 0x74, 0x24, 8, 0x36, 0x8f, 5,    0, 0x30, 0xc0, 0xff,
                     0x36, 0x83, 0x3d, 4, 0x30, 0xc0, 0xff, 0, 0x75, 1,    0xcf };
int vcpu_read(struct hal_vcpu *of, void *to, u32 from, u32 n)
{
    if (from < CODE || from + n > CODE + sizeof(code))
        return -EFAULT;
    memcpy(to, code + from - CODE, n);
    return 0;
}
u8 *para_find(struct hal_vcpu *of, u32 va, u32 access) { return NULL; }
void para_cpuid(struct hal_vcpu *of) {}
void para_begin(struct para_state *of) {}
void para_end(const struct para_state *of) { own_task = true; }
bool vcpu_interruptible(const struct hal_vcpu *of) { return false; }
void printk(const char *fmt, ...) {}

static void run(u32 cr0)
{
    struct vcpu_exit e;
    v.cr0 = cr0;
    turns = interrupts = 0;
    own_task = false;
    vcpu_run(&v, &e);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(interrupts, 1);
    assert_true(host_cr0 == OWN);
}

static void the_kernel_has_its_own_control_register_and_task(void **unused)
{
    vectors[0] = VEC_TIMER;
    for (u32 bits = 0; bits < 16; bits += 2)
        run(CR0_PE_ET | bits);
    vectors[0] = PARA_VECTOR;
    vectors[1] = VEC_NMI;
    for (u32 bits = 0; bits < 16; bits += 2)
        run(CR0_PE_ET | bits);
}

static unsigned fault_at(u32 va, u32 error)
{
    struct vcpu_exit e;
    found = FAULT_GUEST;
    host_cr2 = va;
    page.regs.error = error;
    vectors[0] = VEC_PF;
    vectors[1] = VEC_TIMER;
    turns = 0;
    vcpu_run(&v, &e);
    return delivered;
}

/* LOCK CMPXCHG8B of a register: the processor looks for the handler of an invalid opcode, which it cannot lock. */
static void the_page_fault_of_erratum_f00f_is_an_invalid_opcode(void **unused)
{
    u32 idt = PARA_STATE + offsetof(struct para_state, idt);
    assert_int_equal(fault_at(idt + 6 * 8, 3), VEC_UD);
    assert_int_equal(fault_at(idt + 6 * 8 + 7, 3), VEC_UD);
    assert_int_equal(fault_at(idt + 6 * 8, 1), VEC_UD);
    assert_int_equal(fault_at(idt + 6 * 8, 7), VEC_PF); /* a program that writes there */
    assert_int_equal(fault_at(idt + 6 * 8 - 1, 3), VEC_PF);
    assert_int_equal(fault_at(idt + 7 * 8, 3), VEC_PF);
}

/* Where the guest goes on when the processor has refused its instruction at `eip`. */
static u32 refused(unsigned vector, u32 ring, u32 eip)
{
    struct vcpu_exit e;
    page.regs = (struct para_regs){ .cs = 0x10 | ring, .eip = eip };
    vectors[0] = vector;
    vectors[1] = VEC_TIMER;
    turns = delivered = 0;
    vcpu_run(&v, &e);
    assert_int_equal(delivered, vector);
    return page.regs.eip;
}

static void a_return_that_is_refused_is_a_fault_of_the_macros_first_byte(void **unused)
{
    u32 iret = CODE + sizeof(code) - 1;
    for (unsigned vector = VEC_GP - 2; vector <= VEC_GP; vector++) { /* a segment that is not there, a stack, others */
        assert_int_equal(refused(vector, 1, iret), CODE);
        assert_int_equal(refused(vector, 3, iret), iret);
        assert_int_equal(refused(vector, 1, iret - 1), iret - 1);
        assert_int_equal(refused(vector, 1, CODE), CODE); /* what is before cannot be read */
    }
    for (unsigned byte = 0; byte < 3; byte++) {
        code[sizeof(code) - 1 - byte] ^= 1;
        assert_int_equal(refused(VEC_GP, 1, iret), iret);
        code[sizeof(code) - 1 - byte] ^= 1;
    }
}

static void an_interrupt_of_the_machines_controller_is_its_affair(void **unused)
{
    struct vcpu_exit e;
    turns = 0;
    v.lines = 1u << VCPU_EXTERNAL;
    lines = para_window;
    vcpu_run(&v, &e);
    lines = NULL;
    v.lines = 0;
    assert_int_equal(e.reason, VCPU_EXIT_WINDOW);
    assert_int_equal(turns, 0); /* before the guest has gone on */
}

/* A guest in virtual 8086 mode, which only an emulator lets in: its CS is any, its registers lie lower. */
static void a_guest_in_virtual_8086_mode_ends_and_no_interrupt_is_lost(void **unused)
{
    struct vcpu_exit e;
    left -= VM_MORE;
    for (u32 cs = 0; cs < 4; cs++) {
        page.regs.cs = cs;
        vectors[0] = VEC_GP;
        turns = 0;
        vcpu_run(&v, &e);
        assert_int_equal(e.reason, VCPU_EXIT_FAULT);
        page.regs.cs = cs;
        vectors[0] = VEC_TIMER;
        run(CR0_PE_ET);
        assert_int_equal(page.regs.cs, 3); /* if it goes on, then in no ring of ours */
    }
    left += VM_MORE;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_page_fault_of_erratum_f00f_is_an_invalid_opcode),
                                        cmocka_unit_test(the_kernel_has_its_own_control_register_and_task),
                                        cmocka_unit_test(a_return_that_is_refused_is_a_fault_of_the_macros_first_byte),
                                        cmocka_unit_test(an_interrupt_of_the_machines_controller_is_its_affair),
                                        cmocka_unit_test(a_guest_in_virtual_8086_mode_ends_and_no_interrupt_is_lost) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
