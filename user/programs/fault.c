/* SPDX-License-Identifier: MIT */
/* fault.c - does one thing that a process must not do: arguments [null | text | jump | privileged | breakpoint | return
 * | abort, seconds to wait before]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nothing;

#if defined(__riscv)
#define PRIVILEGED "csrci sstatus, 2"
#define BREAKPOINT "ebreak"
#else
#define PRIVILEGED "cli"
#define BREAKPOINT "int3"
#endif

/* Into virtual 8086 mode with a selector of ring 0, which a processor does not do from here, and QEMU does. In long
 * mode it reads the frame with the kernel's rights at the lower half of the stack pointer: one of many pages is there.
 */
static void mode_return(void)
{
    static const uint32_t frame[] = { 0, 0x8, 0x23212, 0, 0, 0x10, 0x10, 0, 0 };
#if defined(__i386__)
    __asm__ volatile("mov %0, %%esp; iret" ::"r"(frame) : "memory");
#elif defined(__x86_64__)
    enum { PAGE = 4096, ALL = 96 << 20, SOMEWHERE = 64 << 20 };
    char *pages = aligned_alloc(PAGE, ALL);
    for (char *at = pages; pages && at < pages + ALL; at += PAGE)
        memcpy(at, frame, sizeof(frame));
    __asm__ volatile("mov %0, %%rsp; iretl" ::"r"((uintptr_t)SOMEWHERE) : "memory");
#else
    (void)frame;
#endif
}

static int touch(void) { return *nothing = 1; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "null";
    printf("fault: %s\n", what);
    sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 0);
    if (!strcmp(what, "null"))
        touch();
    else if (!strcmp(what, "text"))
        *(volatile char *)main = 0;
    else if (!strcmp(what, "jump"))
        ((void (*)(void))(void *)nothing)();
    else if (!strcmp(what, "privileged"))
        __asm__ volatile(PRIVILEGED);
    else if (!strcmp(what, "return"))
        mode_return();
    else if (!strcmp(what, "breakpoint"))
        __asm__ volatile(BREAKPOINT);
    else
        abort();
    printf("fault: still here after %s\n", what);
    return 1;
}
