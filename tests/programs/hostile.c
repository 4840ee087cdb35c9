/* SPDX-License-Identifier: MIT */
/*
 * hostile.c - a process that attacks the kernel: it makes calls with random numbers and pointers from all the threads
 * that it may have. With `deadly` it also does what ends it: privileged instructions, jumps and stores to random
 * addresses, bad stacks, odd flags and segments. arguments: [hostile, steps, deadly]; without `deadly` the last line is
 * "hostile: done".
 */
#include <amalgam/clusters.h>
#include <amalgam/remote.h>
#include <amalgam/scc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define AREA    (64 << 10)
#define THREADS 63
#define STACK   512u
#if defined(__x86_64__)
#define OWN   0x8800000000ul
#define LARGE 0x400000000ul
#elif __riscv_xlen == 64
#define OWN   0x1800000000ul
#define LARGE 0x400000000ul
#elif defined(__i386__)
#define OWN   0xd0000000ul
#define LARGE 0x10000000ul
#else
#define OWN   0x60000000ul
#define LARGE 0x10000000ul
#endif

#if defined(__riscv) && __riscv_xlen == 32
#define LARGE_PAGE (4ul << 20)
#else
#define LARGE_PAGE (2ul << 20)
#endif
#define MEDIUM_PAGE (64ul << 10)

/* Threads may share a stack, so no function may keep a return address on it. */
#define INLINE static inline __attribute__((always_inline))

static char area[AREA] __attribute__((aligned(4096)));
static uint64_t state;
static int may_die, has_semaphores;

/* Returns a random number. The threads share the state without a lock; a race only changes which numbers come. */
INLINE uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

INLINE uint64_t pointer(void)
{
    static const uint64_t bases[] = {
        0, /* never mapped */
#if defined(__x86_64__)
        0xd00000,            /* the kernel's image */
        0x8000000000,        /* the processes' range */
        0x8000000000 - 16,   /* and its start */
        0x10000000000 - 16,  /* and its end */
        0xffff000000,        /* a tunnel */
        0xffff100000 - 16,   /* and no tunnel */
        0x800000000000 - 16, /* not an address from here on */
        0xffff800000000000,  /* beneath a Linux: memory that was given */
        0xffffffff80100000,  /* and the kernel's image */
        0xffffc00000000000,  /* the kernel's stacks */
        0xffffc08000000000,  /* devices */
#elif defined(__i386__)
        0x100000,        /* the kernel's image */
        0x2000000,       /* and the memory behind it */
        0xc0000000,      /* the processes' range */
        0xc0000000 - 16, /* and its start */
        0xe0000000 - 16, /* and its end */
        0xdf000000,      /* a tunnel */
        0xdf100000 - 16, /* and no tunnel */
        0xe0000000,      /* the kernel's stacks */
        0xf0000000,      /* devices */
        0x80000000,      /* of an SCC: what its kernels share, */
        0x80101000,      /* and a message passing buffer: the kernel's address, */
        0xde052000 - 16, /* that of core 17's own, with nobody's behind it, */
        0xde200000,      /* and pages that it shares */
        0xde210000 - 16, /* to their end */
#elif __riscv_xlen == 32
        0x80200000,      /* the kernel's image, for the firmware */
        0x10000000,      /* the processes' range */
        0x10000000 - 16, /* and its start */
        0x80000000 - 16, /* and its end */
        0xc0000000,      /* the kernel's image and all memory behind it */
        0xe0000000,      /* its stacks */
        0xf0000000,      /* devices */
#else
        0x80200000,         /* the kernel's image, for the firmware */
        0x1000000000,       /* the processes' range */
        0x1000000000 - 16,  /* and its start */
        0x2000000000 - 16,  /* and its end */
        0x1fff000000,       /* a tunnel */
        0x1fff100000 - 16,  /* and no tunnel */
        0x4000000000 - 16,  /* not an address from here on */
        0xffffffc000000000, /* the kernel's image and all memory behind it */
        0xffffffe000000000,
#endif
        0xfffffffffffffff0,
    };
    uint64_t kind = any() % 20;
    if (kind < sizeof(bases) / sizeof(*bases))
        return bases[kind] + any() % 32;
    if (kind == 19)
        return any();
    return (uintptr_t)area + (kind < 16 ? any() % 64 * 4 : any() % AREA);
}

/* Returns an address, mostly a page's, in a range that the program can lose without ending. */
INLINE uint64_t large_page(void) { return OWN + any() % 16 * LARGE_PAGE; }
INLINE uint64_t page(void)
{
    return (any() % 32 ? OWN : large_page()) + any() % 64 * 4096 + (any() % 8 ? 0 : any() % 5000);
}

#if defined(__x86_64__)
static void deadly(void)
{
    switch (any() % 14) {
    case 0: __asm__ volatile("cli"); break;
    case 1: __asm__ volatile("hlt"); break;
    case 2: __asm__ volatile("mov %%cr3, %%rax" ::: "rax"); break;
    case 3: __asm__ volatile("out %al, $0x80"); break;
    case 4: ((void (*)(void))(uintptr_t)pointer())(); break;
    case 5: *(volatile uintptr_t *)(uintptr_t)(any() % 2 ? page() : pointer()) = 1; break;
    case 6: __asm__ volatile("vmmcall"); break;
    case 7: __asm__ volatile("int $0x80"); break;
    case 8:
        __asm__ volatile("mov %0, %%rsp; push %%rax; syscall" ::"r"((uintptr_t)pointer()), "a"(AMALGAM_NULL));
        break;
    case 9:
        __asm__ volatile("pushf; orl $0x40500, (%%rsp); popf; syscall; nop" ::"a"(AMALGAM_NULL)
                         : "memory", "rcx", "r11");
        break;
    case 10: __asm__ volatile("mov %0, %%gs; mov %0, %%fs; mov %0, %%ds; mov %0, %%es" ::"r"(0x33)); break;
    case 11: __asm__ volatile("swapgs; sysretq"); break;
    case 12: __asm__ volatile("wrmsr" ::"a"(0), "d"(0), "c"(0xc0000101)); break;
    case 13: __asm__ volatile("mov %0, %%ss; syscall" ::"r"(0x33), "a"(AMALGAM_NULL) : "rcx", "r11", "memory"); break;
    }
}
#elif defined(__i386__)
static void deadly(void)
{
    switch (any() % 17) {
    case 0: __asm__ volatile("cli"); break;
    case 1: __asm__ volatile("hlt"); break;
    case 2: __asm__ volatile("mov %%cr3, %%eax" ::: "eax"); break;
    case 3: __asm__ volatile("out %al, $0x80"); break;
    case 4: ((void (*)(void))(uintptr_t)pointer())(); break;
    case 5: *(volatile uintptr_t *)(uintptr_t)(any() % 2 ? page() : pointer()) = 1; break;
    case 6: __asm__ volatile("int $0x81"); break;
    case 7: __asm__ volatile("int $0xf9"); break; /* the timer's vector */
    case 8:                                       /* a call with a stack pointer to unmapped memory */
        __asm__ volatile("mov %0, %%esp; int $0x80; push %%eax" ::"r"((uintptr_t)pointer()), "a"(AMALGAM_NULL));
        break;
    case 9: /* the flags TF, DF and NT */
        __asm__ volatile("pushf; orl $0x44500, (%%esp); popf; int $0x80; nop" ::"a"(AMALGAM_NULL) : "memory");
        break;
    case 10: /* segment selectors: the process's, null, the kernel's */
        __asm__ volatile("mov %0, %%gs; mov %0, %%fs; mov %1, %%ds; mov %0, %%es; int $0x80" ::"r"(0x4b), "r"(0x53),
                         "a"(AMALGAM_NULL));
        break;
    case 11: __asm__ volatile("mov %0, %%ds" ::"r"(0x10)); break;
    case 12: __asm__ volatile("mov %0, %%ss; int $0x80; push %%eax" ::"r"(0x53), "a"(AMALGAM_NULL) : "memory"); break;
    case 13: __asm__ volatile("ljmp $0x8, $0"); break;
    case 14: __asm__ volatile("lcall $0x20, $0"); break; /* the task state segment */
    case 15: /* an x87 exception that is pending when the kernel switches threads */
        __asm__ volatile("fninit; push $0; fldcw (%%esp); fldz; fld1; fdivp; int $0x80; pop %%eax" ::"a"(AMALGAM_YIELD)
                         : "memory");
        break;
    case 16: { /* IRET, also into virtual 8086 mode, where QEMU lets it */
        uint32_t frame[9];
        for (unsigned i = 0; i < 9; i++)
            frame[i] = (uint32_t)any() >> any() % 32;
        __asm__ volatile("mov %0, %%esp; iret" ::"r"(frame) : "memory");
        break;
    }
    }
}
#else
#if __riscv_xlen == 64
#define STORE "sd"
#define WIDTH "d"
#else
#define STORE "sw"
#define WIDTH "w"
#endif
static void deadly(void)
{
    switch (any() % 11) {
    case 0: __asm__ volatile("wfi"); break;
    case 1: __asm__ volatile("sret"); break;
    case 2: __asm__ volatile("csrw sscratch, %0" ::"r"((uintptr_t)pointer())); break;
    case 3: __asm__ volatile("csrw satp, zero"); break;
    case 4: ((void (*)(void))(uintptr_t)pointer())(); break;
    case 5: *(volatile uintptr_t *)(uintptr_t)(any() % 2 ? page() : pointer()) = 1; break;
    case 6: __asm__ volatile("sfence.vma"); break;
    case 7: __asm__ volatile("ebreak"); break;
    case 8: /* a call and a fault with zeros in the registers that the kernel might rely on */
        __asm__ volatile("mv sp, %0; mv tp, %0; mv gp, %0; mv a7, %1; ecall; " STORE
                         " a0, (sp)" ::"r"((uintptr_t)pointer()),
                         "r"((uintptr_t)AMALGAM_NULL));
        break;
    case 9:
        __asm__ volatile("mv t0, %0; amoadd." WIDTH " t1, t0, (t0); lr." WIDTH " t1, (t0)" ::"r"((uintptr_t)pointer())
                         : "t0", "t1", "memory");
        break;
    case 10: ((void (*)(void))(uintptr_t)area)(); break;
    }
}
#endif

static void work(void *rounds);

INLINE uint64_t pages(void) { return any() % 8 ? any() % 8 * 4096 : any() % 64 ? any() % 5000 : pointer(); }
/* Make a random call of a cluster's process; -ENOSYS in other processes. The first thread makes none that may wait for
 * ever. */
INLINE void cluster_step(int first)
{
    if (has_semaphores && any() % 4 == 0) {
        uintptr_t call = AMALGAM_SEMAPHORE_CREATE + any() % (AMALGAM_REMOTES_END - AMALGAM_SEMAPHORE_CREATE + 3);
        if (!first || call != AMALGAM_SEMAPHORE_DOWN)
            amalgam_call(call,
                         any() % 4   ? any() % 8
                         : any() % 2 ? any() % 140
                                     : any(),
                         any() % 4 ? any() % 3 : any(), pointer(), 0);
        return;
    }
    enum amalgam_cluster call = AMALGAM_REMOTE_NULL + any() % (AMALGAM_CLUSTERS_END - AMALGAM_REMOTE_NULL + 3);
    int waits = call == AMALGAM_MAILBOX_WAIT || call == AMALGAM_PORTAL_WAIT || call == AMALGAM_SYNC_WAIT ||
                call == AMALGAM_PORTAL_AWRITE || call == AMALGAM_MAILBOX_AWRITE || call == AMALGAM_MAILBOX_WRITE ||
                call == AMALGAM_MAILBOX_READ || call == AMALGAM_PORTAL_WRITE || call == AMALGAM_PORTAL_READ ||
                call == AMALGAM_MAILBOX_RECEIVE;
    if (first && waits)
        return;
    if (call == AMALGAM_SYNC_CREATE || call == AMALGAM_SYNC_OPEN)
        amalgam_call(call, pointer(), any() % 6, any() % 3, 0);
    else
        amalgam_call(call, any() % 4 ? any() % 6 : any(), any() % 2 ? pointer() : any() % 17,
                     any() % 3 ? any() % 200 : pointer(), 0);
}

#if defined(__i386__)
/* The same for a process on an SCC. */
INLINE void scc_step(void)
{
    uint64_t soon = (uint64_t)amalgam_clock() + any() % 100000;
    unsigned number = AMALGAM_SVM_ALLOC + any() % (AMALGAM_SCCS_END - AMALGAM_SVM_ALLOC + 2);
    uint64_t kind = any() % 5;
    if (kind < 2)
        amalgam_call(number, kind ? pointer() : any() % 20, any() % 6, pointer(), any());
    else if (kind == 2)
        amalgam_call(AMALGAM_MAIL_SEND, any() % 4 ? any() % 50 : any(), pointer(), any() % 40, 0);
    else if (kind == 3)
        amalgam_call(AMALGAM_MAIL_SEND_SYNC, any() % 4 ? any() % 0x33030 : any(), pointer(), AMALGAM_WIDE(soon));
    else
        amalgam_call(AMALGAM_MAIL_RECEIVE, pointer(), any() % 4, AMALGAM_WIDE(soon));
}
#endif

/* Returns the address of a context that is refused, or 0; if the process may end, of any one, such as another thread's.
 */
INLINE uintptr_t context_address(void)
{
    uintptr_t low = any() % 4096;
    return may_die ? (uintptr_t)pointer() : any() % 4 ? any() % 2 ? low : -low : 0;
}

/* Where a signal lets a thread go on, with its context at the stack pointer; which is in `area` for all threads but the
 * first, where another one may have changed it. */
static __attribute__((naked)) void upcall(void)
{
#if defined(__x86_64__)
    __asm__("mov %rsp, %rdi; jmp signalled");
#elif defined(__i386__)
    __asm__("push %esp; push $0; jmp signalled");
#else
    __asm__("mv a0, sp; j signalled");
#endif
}

/* The first thread goes on, and others end after they have tried to become what they are not. */
__attribute__((used)) void signalled(const void *context)
{
    if (amalgam_thread_self() == 0)
        amalgam_signal_return(context);
    for (unsigned i = 0; i < 4; i++)
        amalgam_call(AMALGAM_SIGNAL_RETURN, context_address(), 0, 0, 0);
    for (;;)
        amalgam_call(AMALGAM_THREAD_EXIT, pointer(), 0, 0, 0);
}

/* Go on with random registers. */
INLINE void forge(void)
{
    uint64_t words = any() % 64, at = any() % (AREA / 2) & -16ul;
    for (uint64_t i = 0; i < words; i++)
        *(uintptr_t *)(void *)&area[at + i * sizeof(uintptr_t)] = (uintptr_t)(any() % 2 ? pointer() : any());
    amalgam_call(AMALGAM_SIGNAL_RETURN, (uintptr_t)&area[at], 0, 0, 0);
}

/* Make a random call of signals. */
INLINE void signal_step(enum amalgam_call call)
{
    if (call == AMALGAM_SIGNAL_ENTRY)
        amalgam_call(call, may_die && any() % 2 ? pointer() : any() % 2 ? (uintptr_t)upcall : any() % 4096, 0, 0, 0);
    else if (call == AMALGAM_SIGNAL_SEND)
        amalgam_call(call, any() % 8 ? any() % 66 : any(), any() % 8 ? any() % 33 : any(), 0, 0);
    else if (call == AMALGAM_ALARM)
        amalgam_call(call, AMALGAM_WIDE(any() % 4 ? any() % 1000000 : any()), 0, 0);
    else if (may_die)
        forge();
    else
        amalgam_call(call, context_address(), 0, 0, 0);
}

INLINE void step(int first)
{
#if defined(__i386__)
    if (any() % 8 == 0) {
        scc_step();
        return;
    }
#endif
    if (any() % 2) {
        cluster_step(first);
        return;
    }
    enum amalgam_call call = AMALGAM_NULL + any() % (AMALGAM_CALLS_END - AMALGAM_NULL + 3);
    uint64_t soon = amalgam_clock() + any() % 100000;
    switch (call) {
    case AMALGAM_EXIT: return;
    case AMALGAM_SLEEP_UNTIL: amalgam_call(call, AMALGAM_WIDE(soon), 0, 0); return;
    case AMALGAM_CONSOLE_WRITE: amalgam_call(call, any() % 2 ? page() : pointer(), any() % 5000, 0, 0); return;
    case AMALGAM_WAIT: amalgam_call(call, any() % 2 ? page() : pointer(), any() % 2, AMALGAM_WIDE(soon)); return;
    case AMALGAM_THREAD_EXIT:
        if (first)
            return;
        break;
    case AMALGAM_THREAD_POINTER: return; /* the C library needs its value */
    case AMALGAM_THREAD_CREATE: {
        uint64_t stack = (uintptr_t)area + AREA - any() % THREADS * STACK;
        amalgam_call(call, (uintptr_t)work, stack - 8, any() % 50, 0);
        return;
    }
    case AMALGAM_MAP: {
        uint64_t how = any() % 7, large = how == AMALGAM_MAP_LARGE && any() % 8,
                 medium = how == AMALGAM_MAP_64K && any() % 8;
        uint64_t n = large ? any() % 4 * LARGE_PAGE : medium ? any() % 4 * MEDIUM_PAGE : pages();
        uint64_t where = large ? large_page() : medium ? page() & -(uint64_t)MEDIUM_PAGE : page();
        int64_t at = amalgam_call(call, any() % 4 ? where : any() % 2 ? 0 : pointer() & -4096ul, n, how, 0);
        if (at > 0 && any() % 2)
            amalgam_call(AMALGAM_UNMAP, (uint64_t)at, n, 0, 0);
        return;
    }
    case AMALGAM_UNMAP:
    case AMALGAM_PROTECT:
        if (any() % 4)
            amalgam_call(call, any() % 64 ? page() : OWN, any() % 64 ? pages() : LARGE, any() % 4, 0);
        else if (any() % 2)
            amalgam_call(call, page() & -(uint64_t)MEDIUM_PAGE, any() % 4 * MEDIUM_PAGE, any() % 4, 0);
        else
            amalgam_call(call, large_page(), any() % 4 * LARGE_PAGE, any() % 4, 0);
        return;
    case AMALGAM_FRAME_FREE: amalgam_call(call, any() % 8 ? any() % 64 : any(), 0, 0, 0); return;
    case AMALGAM_FRAME_MAP: amalgam_call(call, page(), any() % 8 ? any() % 64 : any(), any() % 3, 0); return;
    case AMALGAM_TUNNEL_INFO:
    case AMALGAM_TUNNEL_NOTIFY:
    case AMALGAM_TUNNEL_WAIT:
    case AMALGAM_TUNNEL_CALL:
        amalgam_call(call, any() % 8 ? any() % 4 : any(), call == AMALGAM_TUNNEL_INFO ? any() % 8 : soon, 0, 0);
        return;
    case AMALGAM_FAULT_WAIT: /* a thread that gets a fault ends, so that no thread waits for ever */
        if (!first && amalgam_call(call, pointer(), 0, 0, 0) >= 0)
            amalgam_call(AMALGAM_THREAD_EXIT, pointer(), 0, 0, 0);
        return;
    case AMALGAM_FAULT_KEEP: /* 1 only where threads may wait for a pager for ever */
        amalgam_call(call, may_die ? any() % 16 : any() % 2 ? pointer() | 2 : 0, 0, 0, 0);
        return;
    case AMALGAM_SIGNAL_ENTRY:
    case AMALGAM_SIGNAL_SEND:
    case AMALGAM_SIGNAL_RETURN:
    case AMALGAM_ALARM: signal_step(call); return;
    case AMALGAM_FAULT_RESUME: amalgam_call(call, any() % 70, 0, 0, 0); return;
    case AMALGAM_FRAME_OF: amalgam_call(call, any() % 8 ? page() : pointer() & -4096ul, 0, 0, 0); return;
    default: break;
    }
    amalgam_call(call, pointer(), any() % 3 ? any() % 5000 : pointer(), pointer(), any());
}

static void work(void *rounds)
{
    for (uintptr_t i = 0; i < (uintptr_t)rounds; i++)
        step(0);
    for (;;)
        amalgam_call(AMALGAM_THREAD_EXIT, pointer(), 0, 0, 0);
}

int main(int argc, char **argv)
{
    unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    may_die = argc > 2;
    has_semaphores = amalgam_semaphore_up(0) != -AMALGAM_ENOSYS;
    state = amalgam_clock() | 1;
    for (unsigned long i = 1; i <= steps; i++) {
        if (may_die && any() % 256 == 0)
            deadly();
        step(1);
        if (i % (steps / 10 + 1) == 0)
            printf("hostile: %lu steps\n", i);
    }
    puts("hostile: done");
    return 0;
}
