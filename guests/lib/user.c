/* SPDX-License-Identifier: MIT */
/*
 * user.c - runs code in ring 3 on a 2 MiB page that ring 3 can access. The image is closed to ring 3, because SMEP
 * would forbid the kernel to execute it.
 */
#include <guest.h>

#define BASE  0x800000ul /* above the image, and in the memory of the smallest system */
#define LARGE 21
#define OPEN  4ul /* a table entry's user bit */
#define STACK (BASE + 0x1ff000)

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

static uint64_t gdt[4 + 2 * MAX_CPUS + 2], code_selector, data_selector;
static uint64_t argument;

/* Add ring 3's segments behind the existing ones, and open the page in all levels of tables. */
static void prepare(void)
{
    extern uint64_t pml4[512];
    struct pointer p;
    __asm__ volatile("sgdt %0" : "=m"(p));
    unsigned n = (p.limit + 1u) / 8;
    memcpy(gdt, (void *)p.base, p.limit + 1u);
    gdt[n] = 0x00cff3000000ffff;
    gdt[n + 1] = 0x00affb000000ffff;
    data_selector = n * 8 | 3;
    code_selector = (n + 1) * 8 | 3;
    p = (struct pointer){ (uint16_t)((n + 2) * 8 - 1), (uintptr_t)gdt };
    __asm__ volatile("lgdt %0" : : "m"(p));
    uint64_t *table = pml4;
    for (unsigned shift = LARGE + 18; shift >= LARGE; shift -= 9) {
        uint64_t *entry = &table[BASE >> shift & 511];
        *entry |= OPEN;
        table = (uint64_t *)(*entry & ~0xffful);
    }
    write_cr3(read_cr3());
}

static void enter(void *unused)
{
    (void)unused;
    __asm__ volatile("push %0; push %1; push $2; push %2; push %3; iretq"
                     :
                     : "r"(data_selector), "r"(STACK), "r"(code_selector), "r"(BASE), "D"(argument)
                     : "memory");
}

uint64_t *const user_words = (uint64_t *)(BASE + 0x100000);

int user_run(const void *code, size_t n, uint64_t rdi)
{
    if (!code_selector)
        prepare();
    memcpy((void *)BASE, code, n);
    argument = rdi;
    return guarded(enter, NULL);
}
