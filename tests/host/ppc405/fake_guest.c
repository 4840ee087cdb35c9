/* SPDX-License-Identifier: MIT */
#include "fake_guest.h"
#include <arch/tlb_hw.h>
#include <board/board.h>
#include <string.h>
#include <sys/mman.h>

#define WEAK __attribute__((weak))

__typeof__(fake) fake;
struct partition_core core;
struct vm_record vm_records[PT_VMS];
struct fake_tlb fake_tlb;
u32 fake_time, fake_dcr[1024], fake_tsr;
static struct pt_vm conf[PT_VMS];

void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value)
{
    fake.events++, fake.event = event, fake.code = code, fake.pc = vm->ctx.pc;
}
void partition_knock(struct vm *vm) { fake.knocks++; }
void partition_wake(struct vm *vm) { fake.knocks++; }
void hal_alarm_update(void) { fake.alarms++; }
void partition_alarm(u32 now) { fake.alarms++; }
void code_written(void *p, u32 size) {}
WEAK u32 console_write(u32 id, const volatile u8 *bytes, u32 n)
{
    if (fake.busy)
        return 0;
    for (u32 i = 0; i < n; i++) {
        fake.out[fake.n_out] = bytes[i];
        fake.id[fake.n_out++] = (u8)id;
    }
    return n;
}
WEAK bool console_putc(u32 id, u8 byte) { return console_write(id, &byte, 1) == 1; }
WEAK u32 console_room(u32 id) { return fake.busy ? 0 : 64; }
WEAK void console_send(void) {}
WEAK void guest_input(struct vm *vm) { fake.knocks++; }
WEAK void lent_reset(struct vm *vm) {}
WEAK void lent_irq(u32 raised) {}
WEAK void lent_irq_update(struct vm *vm) {}
WEAK u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value) { return 0; }
u32 lent_code[1];
u32 lent_call(u32 value) { return value; }
bool tunnel_bell(struct vm *vm, u32 gpa)
{
    fake.bells++, fake.bell = gpa;
    return (gpa & ~0xfffu) == BELL_GPA(3);
}
bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo) { return true; }

u8 io_read8(u32 address)
{
    if (address == UART0_BASE + 5) {
        fake.looks++;
        return (fake.busy ? 0 : 0x60) | (fake.n_in > 0);
    }
    u8 byte = fake.line_in[0];
    memmove(fake.line_in, fake.line_in + 1, sizeof fake.line_in - 1);
    fake.n_in -= fake.n_in > 0;
    return byte;
}
void io_write8(u32 address, u8 value)
{
    if (address == UART0_BASE)
        fake.line_out[fake.n_line++ % sizeof fake.line_out] = value;
    if (address == UART0_BASE + 1)
        fake.ier = value;
}

int fake_guest_setup(void **state)
{
    memset(&fake, 0, sizeof fake);
    memset(vm_records, 0, sizeof vm_records);
    memset(conf, 0, sizeof conf);
    memset(fake_dcr, 0, sizeof fake_dcr);
    memset(&fake_tlb, 0, sizeof fake_tlb);
    mmap((void *)(uintptr_t)PT_ADDRESS, 0x2000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    ((struct pt_header *)(uintptr_t)PT_ADDRESS)->n_vms = 3;
    for (u32 i = 0; i < 3; i++) {
        vm_records[i].vm.conf = &conf[i];
        vm_records[i].vm.id = i;
        conf[i].cores = 1;
    }
    core.current = guest;
    fake_time = fake_tsr = 0;
    return 0;
}
