/* SPDX-License-Identifier: MIT */
/*
 * loaded - prints what a Multiboot loader left in memory: the addresses of the image and of the boot information, the
 * BIOS data area, the memory map, the modules. Its headers ask for a video mode; loaded-mb1 is linked at 16 KiB.
 */
#include <guest.h>

extern uint8_t start_raw[], end[];

#define IRET 0xcf

/* Returns how many of real mode's interrupt vectors lead to an IRET. */
static unsigned returning_vectors(const volatile uint16_t *ivt)
{
    unsigned n = 0;
    for (unsigned vector = 0; vector < 256; vector++) {
        uintptr_t at = (uintptr_t)ivt[vector * 2 + 1] * 16 + ivt[vector * 2];
        n += *(const volatile uint8_t *)at == IRET;
    }
    return n;
}

static uint32_t sum(const struct boot_module *m)
{
    uint32_t value = 0;
    for (const uint8_t *p = (const uint8_t *)m->start; p < (const uint8_t *)m->end; p++)
        value = value * 31 + *p;
    return value;
}

void guest_main(void)
{
    uintptr_t zero = 0;
    __asm__("" : "+r"(zero)); /* hides the value: the compiler would warn about memory at 0 */
    uint16_t ebda = *(const volatile uint16_t *)(zero + 0x40e), kib = *(const volatile uint16_t *)(zero + 0x413);
    print("loaded: boot=%u cmdline=\"%s\" image=%lx-%lx info=%lx video=%s\n", boot.kind, boot.cmdline,
          (uintptr_t)start_raw, (uintptr_t)end, boot.info, boot.has_video ? "yes" : "none");
    print("loaded: memory=%u KiB ebda=%x size=%u vectors=%u\n", kib, ebda * 16u,
          *(const volatile uint8_t *)(zero + ebda * 16u), returning_vectors((const volatile uint16_t *)zero));
    for (unsigned i = 0; i < boot.n_ranges; i++)
        print("loaded: range %lx-%lx type %u\n", boot.range[i].base, boot.range[i].base + boot.range[i].size,
              boot.range[i].type);
    for (unsigned i = 0; i < boot.n_modules; i++)
        print("loaded: module %u %lx-%lx sum=%x words=\"%s\"\n", i, boot.module[i].start, boot.module[i].end,
              sum(&boot.module[i]), boot.module[i].words);
    print("loaded: %u modules\n", boot.n_modules);
}
