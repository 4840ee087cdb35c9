/* SPDX-License-Identifier: MIT */
/* ring1.c - ring1.h. */
#include "ring1.h"

#include <stddef.h>

#include "guest.h"

#define MAPPED  (8u << 20) /* bytes, one to one */
#define PRESENT 7u         /* for programs, too; entries decide */
#define VECTORS 64u

extern uint8_t vectors[], trap_stack[];

static uint64_t gdt[7], idt[256];
static uint32_t task[26], directory[1024] __attribute__((aligned(4096))),
    tables[2][1024] __attribute__((aligned(4096)));
void (*ring1_handler)(struct trap *t);
void ring1_trap(struct trap *t);
int main(void);

void *memset(void *to, int byte, size_t n)
{
    for (uint8_t *at = to; n--;)
        *at++ = (uint8_t)byte;
    return to;
}

/* One call for each line. hostile.c may have written to `n`. */
void put_char(char c)
{
    static char line[256];
    static unsigned n;
    unsigned length = n % sizeof(line);
    line[length++] = c;
    n = length;
    if (c == '\n' || length == sizeof(line)) {
        n = 0;
        amalgam_console_write((unsigned long)line, length);
    }
}

void ring1_off(void)
{
    for (;;)
        amalgam_off(0);
}

void ring1_trap(struct trap *t)
{
    if (ring1_handler) {
        ring1_handler(t);
        return;
    }
    print("trap %u error %x at %x:%x\n", t->vector, t->error, t->cs, t->eip);
    ring1_off();
}

uint32_t *ring1_entry(uint32_t va) { return &tables[va >> 22 & 1][va >> 12 & 1023]; }
void ring1_invalidate(uint32_t va) { amalgam_invlpg(va, 1); }

static uint64_t gate(const uint8_t *to, unsigned type)
{
    uint32_t at = (uint32_t)to;
    return (uint64_t)((at & 0xffff0000) | type << 8) << 32 | 0x10u << 16 | (at & 0xffff);
}

void ring1_tables(void)
{
    struct {
        uint16_t limit;
        void *base;
    } __attribute__((packed)) g = { sizeof(gdt) - 1, gdt }, i = { sizeof(idt) - 1, idt };
    uint32_t at = (uint32_t)task;
    gdt[2] = 0x00cf9b000000ffffull;
    gdt[3] = 0x00cf93000000ffffull;
    gdt[4] = 0x00cffb000000ffffull;
    gdt[5] = 0x00cff3000000ffffull;
    gdt[6] = (uint64_t)((at & 0xff000000) | 0x8900 | (at >> 16 & 0xff)) << 32 | at << 16 | 103;
    task[1] = (uint32_t)trap_stack;
    task[2] = 0x18;
    for (unsigned v = 0; v < VECTORS; v++)
        idt[v] = gate(vectors + 16 * v, v == 3 || v == 4 ? 0xee : 0x8e);
    idt[0x80] = gate(vectors + 16 * VECTORS, 0xee);
    for (uint32_t va = 0; va < MAPPED; va += PAGE)
        *ring1_entry(va) = va | (va >= USER && va < USER_END ? 7 : 3);
    directory[0] = (uint32_t)tables[0] | PRESENT;
    directory[1] = (uint32_t)tables[1] | PRESENT;
    __asm__ volatile("lgdt %0; lidt %1; ltr %w2" ::"m"(g), "m"(i), "r"(0x30) : "memory");
    amalgam_load_cr3((uint32_t)directory, 0, 0);
    __asm__ volatile("mov %0, %%cr0" ::"r"(0x80010011) : "memory");
}
