/* SPDX-License-Identifier: MIT */
/*
 * user.c - processes' threads on this processor: hal/user.h.
 *
 * A thread's registers are loaded in two steps. user/entry.S loads its registers at each entry. Address space, segments
 * and the stack for the way back change only when another thread has had the core: load_user(). The thread's count of
 * turns tells, so guests and kernel threads need not report that they ran. What a guest leaves in registers that
 * a program can see or use is the back end's to say (arch/guest_registers.h).
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/guest_registers.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/upcalls.h>
#include <hal/user.h>
#include <string.h>

#define MSR_STAR           0xc0000081u
#define MSR_FS_BASE        0xc0000100u
#define MSR_KERNEL_GS_BASE 0xc0000102u

#define CALL_VECTOR 33
#define KERNEL_CS   8ull
#define SYSRET_BASE 0x2bull /* SS: + 8, CS: + 16; privilege 3 (APM vol. 2, 6.1.1) */
#define USER_SS     0x33
#define USER_CS     0x3b
#define RFLAGS_MASK 0x47700 /* cleared by SYSCALL: TF, IF, DF, IOPL, NT, AC */

_Static_assert(offsetof(struct arch_cpu, tss) + offsetof(struct tss, rsp) == 132, "user/entry.S");
_Static_assert(RFLAGS_START == 0x202, "user/entry.S");

extern const char user_syscall[];
extern bool user_smap;                    /* user/copy.S */
extern bool (*user_fast)(struct user *u); /* user/entry.S */
void user_enter(struct trap_frame *f);
int user_copy(void *to, const void *from, size_t n);
s64 user_load(const void *from);

/* STAR, LSTAR, CSTAR, SFMASK */
static const u64 syscalls[] = { KERNEL_CS << 32 | SYSRET_BASE << 48, (u64)user_syscall, 0, RFLAGS_MASK };

__init_text void user_init(bool (*fast)(struct user *u), bool (*blocking)(struct user *u))
{
    user_fast = fast;
    user_smap = read_cr4() & CR4_SMAP;
}

/* Prepare this core for processes, before its first one. */
static __cold __noinline void user_enable(struct cpu *c)
{
    struct arch_cpu *a = &c->arch;
    a->gdt[6] = 0x00cff3000000ffff; /* data and 64-bit code of privilege 3 */
    a->gdt[7] = 0x00affb000000ffff;
    for (unsigned i = 0; i < 3; i++) /* for trap_entry_ist */
        *(u64 *)(a->tss.ist[i] - PAGE_SIZE) = (u64)a;
    wrmsr(MSR_STAR, syscalls[0]);
    wrmsr(MSR_STAR + 1, syscalls[1]);
    wrmsr(MSR_STAR + 2, syscalls[2]);
    wrmsr(MSR_STAR + 3, syscalls[3]);
    wrmsr(MSR_KERNEL_GS_BASE, 0); /* it stays: what a program can load into GS begins at 0 */
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SCE);
    host_registers_keep(a);
}

static __noinline void load_user(struct user *u)
{
    struct cpu *c = this_cpu_here();
    if (unlikely(guest_registers_left(&c->arch)))
        guest_registers_remove(&c->arch, syscalls);
    if (!c->arch.tss.rsp[0])
        user_enable(c);
    c->arch.tss.rsp[0] = (u64)(&u->frame + 1);
    WRITE_ONCE(u->turn, *u->turns); /* before the space is loaded: a later user_forget() then makes it load again */
    write_cr3(virt_to_phys(u->space->root));
    __asm__ volatile("mov %0, %%ds; mov %0, %%es; mov %0, %%fs; swapgs; mov %0, %%gs; swapgs" ::"r"(0) : "memory");
    wrmsr(MSR_FS_BASE, u->fs_base);
}

/* Load the thread's state if another thread has had the core. Interrupts must be off. */
static inline void load_if_lost(struct user *u)
{
    if (READ_ONCE(u->turn) != *u->turns)
        load_user(u);
}

void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp)
{
    *u = (struct user){ .space = s, .turns = turns, .fs_base = tp };
    u->frame.rip = entry;
    u->frame.rsp = stack;
    u->frame.rdi = arg;
    u->frame.cs = USER_CS;
    u->frame.ss = USER_SS;
    u->frame.rflags = RFLAGS_START;
}

void user_run(struct user *u, struct user_exit *e)
{
    load_if_lost(u);
    user_enter(&u->frame);
    u8 vector = u->frame.vector;
    if (vector == CALL_VECTOR) {
        e->reason = USER_CALL;
    } else if (vector < 16 || (vector < 32 && !trap_handle_unexpected(&u->frame))) {
        *e = (struct user_exit){ .reason = USER_FAULT, .why = trap_name(vector) };
        if (vector == VEC_PF) {
            e->address = read_cr2();
            e->access = (u->frame.error >> 1 & SPACE_WRITE) | (u->frame.error >> 3 & SPACE_EXEC);
        }
    } else {
        e->reason = USER_IRQ;
        if (vector >= 32) /* else it had the vector of an exception, and was dropped */
            trap_dispatch(&u->frame);
    }
}

void user_set_pointer(struct user *u, u64 tp)
{
    u->fs_base = tp;
    u->turn = 0;
}

int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    load_if_lost(u);
    return user_copy(to, from, n);
}

s64 user_read_word(struct user *u, const void *from)
{
    load_if_lost(u);
    return user_load(from);
}

void user_refresh(struct user *u) { load_if_lost(u); }

u64 user_pc(const struct user *u) { return u->frame.rip; }
u64 user_frame(const struct user *u) { return u->frame.rbp; }
void user_dump(const struct user *u) { arch_dump_frame(&u->frame); }
