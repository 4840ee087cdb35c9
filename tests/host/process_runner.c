/* SPDX-License-Identifier: MIT */
/*
 * process_runner.c - runs a program of a process on Linux: what stands in for the kernel's kernel/process.
 *
 *     process_runner [@FILE:END] PROGRAM MEMORY THREADS FILES [ARGUMENT...] [-- NAME=VALUE...]     FILES: an archive,
 * or -; FILE:END is one end, 0 or 1, of a tunnel to another program (process_wire.h)
 *
 * It lays the process out as the kernel does and enters it.  Linux' syscall user dispatch turns each SYSCALL
 * instruction outside of this runner into a signal, whose handler does what the call stands for; threads are Linux'
 * own, so locks are tried by processors that run at once.  It has no C library: FS is the program's.  Status 77: Linux
 * refuses the dispatch.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../../user/include/amalgam/calls.h"
#include "process_image.h"
#include "process_memory.h"
#include "process_runner.h"
#include "process_signals.h"
#include "process_wire.h"

#ifndef STACK
#define STACK (16 * 1024ull)
#endif
#define MOST      64
#define OWN_STACK 65536
#define CALLS     0x100 /* a field of info(): how many calls there were, for tests */

extern char runner_start[], runner_end[];

struct slot {
    uint64_t entry, stack, arg, tp;
    int tid, used, leaving;
    struct signals signals_of;
    char own[OWN_STACK] __attribute__((aligned(16)));
    char signals[OWN_STACK] __attribute__((aligned(16)));
};
static struct slot slots[MOST];
static unsigned most_threads, alive = 1;
static int64_t calls;

/* Of this thread: its stack for signals, and calls become signals from the next instruction outside of the runner on.
 */
static void dispatch(struct slot *s)
{
    stack_t stack = { .ss_sp = s->signals, .ss_size = OWN_STACK };
    LINUX(sigaltstack, &stack, 0, 0, 0, 0, 0);
    if (LINUX(prctl, 59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, runner_start, runner_end - runner_start, 0, 0))
        fail("process_runner: this Linux has no syscall user dispatch", 77);
}

void enter(uint64_t entry, uint64_t stack, uint64_t arg);
__asm__(
    ".text\nenter: mov %rdi, %rax; mov %rsi, %rsp; mov %rdx, %rdi; xor %ebp, %ebp; xor %edx, %edx; xor %esi, %esi; jmp "
    "*%rax\n"
    ".globl restore\nrestore: mov $15, %eax; syscall\n"
    /* long spawn(long flags, void *stack, struct slot *): the child calls begin() on its stack */
    ".globl spawn\nspawn: mov %rdx, %r12; xor %edx, %edx; xor %r10d, %r10d; xor %r8d, %r8d; mov $56, %eax; syscall\n"
    "test %eax, %eax; jnz 1f; mov %r12, %rdi; call begin\n1: ret\n");
extern void restore(void);
long spawn(long flags, void *stack, struct slot *s);

void begin(struct slot *s)
{
    dispatch(s);
    s->tid = (int)LINUX(gettid, 0, 0, 0, 0, 0, 0);
    LINUX(arch_prctl, 0x1002 /* ARCH_SET_FS */, s->tp, 0, 0, 0, 0);
    enter(s->entry, s->stack, s->arg);
}

/* A free place. One whose thread has told its end, but has not left its stack yet, is free in the kernel: wait for it.
 */
static struct slot *place(void)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 1; i < most_threads; i++) {
            again |= __atomic_load_n(&slots[i].leaving, __ATOMIC_ACQUIRE);
            if (__atomic_exchange_n(&slots[i].used, 1, __ATOMIC_ACQ_REL))
                continue;
            __atomic_store_n(&slots[i].leaving, 0, __ATOMIC_RELEASE);
            return &slots[i];
        }
    }
    return NULL;
}

static int64_t thread_create(uint64_t entry, uint64_t stack, uint64_t arg, uint64_t tp)
{
    if (entry < BASE || stack < BASE || tp < BASE)
        return -AMALGAM_EINVAL;
    struct slot *s = place();
    if (!s)
        return -AMALGAM_EAGAIN;
    s->entry = entry, s->stack = stack, s->arg = arg, s->tp = tp;
    __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    uint64_t flags = 0x00000100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000; /* VM FS FILES SIGHAND THREAD SYSVSEM */
    /* r12 is spawn()'s to lose, but not its caller's */
    long r;
    __asm__ volatile("push %%r12; call spawn; pop %%r12"
                     : "=a"(r)
                     : "D"(flags), "S"(s->own + OWN_STACK), "d"(s)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r < 0 ? -AMALGAM_EAGAIN : s - slots;
}

static unsigned self(void)
{
    int tid = (int)LINUX(gettid, 0, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < MOST; i++)
        if (slots[i].used && slots[i].tid == tid)
            return i;
    return 0;
}

static _Noreturn void thread_exit(uint32_t *word)
{
    struct slot *s = &slots[self()];
    if (__atomic_sub_fetch(&alive, 1, __ATOMIC_ACQ_REL) == 0)
        quit(0);
    signals_end(&s->signals_of);
    __atomic_store_n(&s->leaving, 1, __ATOMIC_RELEASE);
    if (word) {
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
        LINUX(futex, word, FUTEX_WAKE_PRIVATE, MOST, 0, 0, 0);
    }
    /* The kernel clears what set_tid_address says when the thread has left the stack that lies in its slot. */
    s->tid = 0;
    LINUX(set_tid_address, &s->used, 0, 0, 0, 0, 0);
    for (;;)
        LINUX(exit, 0, 0, 0, 0, 0, 0);
}

static int64_t wait(uint64_t word, uint32_t expected, uint64_t deadline)
{
    uint64_t time[2] = { deadline / 1000000000ull, deadline % 1000000000ull };
    if (word & 3)
        return -AMALGAM_EINVAL;
    const uint64_t a[6] = { word,     FUTEX_WAIT_BITSET_PRIVATE,
                            expected, deadline == AMALGAM_NEVER ? 0 : (uint64_t)time,
                            0,        ~0u };
    return block(&slots[self()].signals_of, SYS_futex, a);
}

static int64_t sleep_until(uint64_t deadline)
{
    uint64_t time[2] = { deadline / 1000000000ull, deadline % 1000000000ull };
    const uint64_t a[6] = { 1 /* CLOCK_MONOTONIC */, 1 /* TIMER_ABSTIME */, (uint64_t)time };
    return block(&slots[self()].signals_of, SYS_clock_nanosleep, a);
}

static int64_t signal_send(uint64_t thread, uint64_t signal)
{
    if (thread >= MOST || signal >= SIGNALS)
        return -AMALGAM_ERANGE;
    struct slot *s = &slots[thread];
    int tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);
    if (!__atomic_load_n(&s->used, __ATOMIC_ACQUIRE) || __atomic_load_n(&s->leaving, __ATOMIC_ACQUIRE))
        return -AMALGAM_ENOENT;
    if (!signal_entry)
        return -AMALGAM_EAGAIN;
    __atomic_fetch_or(&s->signals_of.pending, 1u << signal, __ATOMIC_SEQ_CST);
    if (tid) /* else it looks at its first call */
        LINUX(tgkill, slots[0].tid, tid, RING, 0, 0, 0);
    return 0;
}

static int64_t carry_out(uint64_t n, const uint64_t a[4], ucontext_t *outside)
{
    switch (n) {
    case AMALGAM_NULL: return 0;
    case AMALGAM_EXIT: quit((int)a[0]);
    case AMALGAM_CONSOLE_WRITE: return a[1] > 4096 ? -AMALGAM_ERANGE : LINUX(write, 1, a[0], a[1], 0, 0, 0);
    case AMALGAM_YIELD: return LINUX(sched_yield, 0, 0, 0, 0, 0, 0);
    case AMALGAM_CLOCK: return (int64_t)now();
    case AMALGAM_SLEEP_UNTIL: return sleep_until(a[0]);
    case AMALGAM_THREAD_CREATE: return thread_create(a[0], a[1], a[2], a[3]);
    case AMALGAM_THREAD_EXIT: thread_exit((uint32_t *)a[0]);
    case AMALGAM_THREAD_POINTER: return a[0] < BASE ? -AMALGAM_EINVAL : LINUX(arch_prctl, 0x1002, a[0], 0, 0, 0, 0);
    case AMALGAM_WAIT: return wait(a[0], (uint32_t)a[1], a[2]);
    case AMALGAM_WAKE: return LINUX(futex, a[0], FUTEX_WAKE_PRIVATE, a[1] > MOST ? MOST : a[1], 0, 0, 0);
    case AMALGAM_THREAD_SELF: return self();
    case AMALGAM_THREAD_CORES: return a[0] & 1 ? 0 : -AMALGAM_EINVAL;
    case AMALGAM_INFO: {
        const int64_t fields[] = { 1, most_threads, 1000000, wire.bell ? (int64_t)wire.end : 7, 1, 0, 0,
                                   0 /* no wall clock */ };
        return a[0] < sizeof fields / sizeof *fields ? fields[a[0]] : a[0] == CALLS ? calls : -AMALGAM_ERANGE;
    }
    case AMALGAM_MAP: return memory_map(a[0], a[1], a[2]);
    case AMALGAM_UNMAP: return memory_unmap(a[0], a[1]);
    case AMALGAM_PROTECT: return memory_protect(a[0], a[1], a[2]);
    case AMALGAM_FRAME_ALLOC: return memory_frame_alloc();
    case AMALGAM_FRAME_FREE: return memory_frame_free(a[0]);
    case AMALGAM_FRAME_MAP: return memory_frame_map(a[0], a[1], a[2]);
    case AMALGAM_FRAME_OF: return memory_frame_of(a[0]);
    case AMALGAM_FAULT_WAIT:
    case AMALGAM_FAULT_RESUME: return -AMALGAM_ENOENT; /* a fault ends the program here */
    case AMALGAM_SIGNAL_ENTRY: return a[0] < BASE ? -AMALGAM_EINVAL : (signal_entry = a[0], 0);
    case AMALGAM_SIGNAL_SEND: return signal_send(a[0], a[1]);
    case AMALGAM_SIGNAL_RETURN: return signal_return(&slots[self()].signals_of, a[0], outside);
    case AMALGAM_ALARM: return signal_alarm(&slots[self()].signals_of, slots[self()].tid, a[0]);
    case AMALGAM_WATCHDOG_KICK: return -AMALGAM_ENOENT;
    case AMALGAM_TUNNEL_INFO:
    case AMALGAM_TUNNEL_NOTIFY:
    case AMALGAM_TUNNEL_WAIT:
    case AMALGAM_TUNNEL_CALL: return wire_call(n, a, &slots[self()].signals_of);
    default: return -AMALGAM_ENOSYS;
    }
}

static void on_call(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    ucontext_t *outside = context;
    greg_t *r = outside->uc_mcontext.gregs;
    const uint64_t a[4] = { (uint64_t)r[REG_RDI], (uint64_t)r[REG_RSI], (uint64_t)r[REG_RDX], (uint64_t)r[REG_R10] };
    uint64_t n = (uint64_t)r[REG_RAX];
    r[REG_RAX] = carry_out(n, a, outside);
    if (n != AMALGAM_SIGNAL_RETURN || a[0] <= HOLD)
        r[REG_RCX] = r[REG_R11] = 0x5a5a5a5a; /* lost, and so nobody may rely on them */
    outside->uc_sigmask.__val[0] &= ~RINGS;   /* a thread begins with them blocked */
    signal_take(&slots[self()].signals_of, outside);
}

static void on_ring(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    const char *pc = (const char *)at->uc_mcontext.gregs[REG_RIP];
    (void)info;
    signal_rings(&slots[self()].signals_of, number, at, pc >= runner_start && pc < runner_end);
}

__attribute__((used)) static _Noreturn void run(uint64_t *sp)
{
    char **argv = (char **)(sp + 1);
    uint64_t argc = sp[0];
    if (argc > 1 && argv[1][0] == '@') {
        wire_open(argv[1] + 1);
        argv++, argc--;
    }
    if (argc < 5)
        fail("process_runner [@FILE:END] PROGRAM MEMORY THREADS FILES [ARGUMENT...] [-- NAME=VALUE...]", 2);
    uint64_t file_size, files_size = 0;
    const char *file = open_file(argv[1], &file_size);
    const char *files = argv[4][0] == '-' ? NULL : open_file(argv[4], &files_size);
    uint64_t size = number_of(argv[2]);
    most_threads = (unsigned)number_of(argv[3]);
    memory_begin(size);
    uint64_t image = load(file), bottom = image + PAGE, top = bottom + STACK, heap = top + PAGE;
    uint64_t files_pages = ALIGN_UP(files_size, PAGE), heap_size = size - (image - BASE) - STACK - files_pages;
    uint64_t files_at = heap + heap_size + PAGE;
    map(bottom, STACK);
    if (files) {
        map(files_at, files_pages);
        memcpy((void *)files_at, files, files_size);
        memory_protect(files_at, files_pages, AMALGAM_PROTECT_READ);
    }
    memory.next_place = files ? files_at + files_pages : heap + heap_size;
    const Elf64_Ehdr *h = (const void *)file;
    const uint64_t vector[][2] = {
        { AT_PHDR, BASE + h->e_phoff },
        { AT_PHENT, h->e_phentsize },
        { AT_PHNUM, h->e_phnum },
        { AT_PAGESZ, PAGE },
        { AT_BASE, BASE },
        { AT_ENTRY, BASE + h->e_entry },
        { AMALGAM_AT_HEAP, heap },
        { AMALGAM_AT_HEAP_END, heap + heap_size },
        { AMALGAM_AT_FILES, files ? files_at : 0 },
        { AMALGAM_AT_FILES_SIZE, files_size },
        { 0, 0 },
    };
    uint64_t stack = arguments(top, argv + 5, vector, sizeof vector / sizeof *vector);
    struct {
        void (*handler)(int, siginfo_t *, void *);
        uint64_t flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = { on_call, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000 /* SA_RESTORER */, restore, RINGS };
    LINUX(rt_sigaction, SIGSYS, &action, 0, 8, 0, 0);
    action.handler = on_ring;
    LINUX(rt_sigaction, RING, &action, 0, 8, 0, 0);
    LINUX(rt_sigaction, ALARM, &action, 0, 8, 0, 0);
    slots[0].used = 1;
    slots[0].tid = (int)LINUX(gettid, 0, 0, 0, 0, 0, 0);
    dispatch(&slots[0]);
    enter(BASE + h->e_entry, stack, 0);
    __builtin_unreachable();
}
__asm__(".globl _start\n_start: mov %rsp, %rdi; and $-16, %rsp; call run\n");
