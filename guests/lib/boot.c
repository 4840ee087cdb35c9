/* SPDX-License-Identifier: MIT */
/*
 * boot.c - makes `struct boot` from the information of four boot protocols.
 *   PVH: include/public/arch-x86/hvm/start_info.h of the Xen interface
 *   multiboot 1 0.6.96, 3.3; multiboot 2 2.0, 3.6
 */
#include <guest.h>

struct pvh_start_info {
    uint32_t magic, version, flags, n_modules;
    uint64_t modules, cmdline, rsdp, memmap;
    uint32_t n_memmap, reserved;
};
_Static_assert(offsetof(struct pvh_start_info, memmap) == 40, "start_info.h");
struct pvh_memmap {
    uint64_t base, size;
    uint32_t type, reserved;
};
struct mb1_info {
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, n_modules, modules, syms[4], mmap_length, mmap;
};
_Static_assert(offsetof(struct mb1_info, mmap) == 48, "multiboot 3.3");
struct mb1_module {
    uint32_t start, end, string, reserved;
};
struct __attribute__((packed)) mb1_mmap {
    uint32_t size; /* bytes that follow */
    uint64_t base, length;
    uint32_t type;
};
struct mb2_tag {
    uint32_t type, size;
};

void console_init(void);
void trap_load(unsigned cpu);
struct boot boot;

static void add_range(uint64_t base, uint64_t size, uint32_t type)
{
    if (boot.n_ranges < sizeof(boot.range) / sizeof(boot.range[0]))
        boot.range[boot.n_ranges++] = (struct memory_range){ base, size, type };
}

static void add_module(uint32_t start, uint32_t end, const char *words)
{
    if (boot.n_modules < sizeof(boot.module) / sizeof(boot.module[0]))
        boot.module[boot.n_modules++] = (struct boot_module){ start, end, words };
}

static void from_pvh(const struct pvh_start_info *s)
{
    if (s->cmdline)
        boot.cmdline = (const char *)s->cmdline;
    const struct pvh_memmap *m = (const void *)s->memmap;
    for (uint32_t i = 0; s->version >= 1 && i < s->n_memmap; i++)
        add_range(m[i].base, m[i].size, m[i].type);
}

static void from_mb1(const struct mb1_info *s)
{
    if (s->flags & 4)
        boot.cmdline = (const char *)(uintptr_t)s->cmdline;
    const struct mb1_module *module = (const void *)(uintptr_t)s->modules;
    for (uint32_t i = 0; (s->flags & 8) && i < s->n_modules; i++)
        add_module(module[i].start, module[i].end, (const char *)(uintptr_t)module[i].string);
    boot.has_video = s->flags & (1 << 11 | 1 << 12);
    uintptr_t at = s->mmap, end = at + s->mmap_length;
    while ((s->flags & 64) && at + sizeof(struct mb1_mmap) <= end) {
        const struct mb1_mmap *m = (const void *)at;
        add_range(m->base, m->length, m->type);
        at += m->size + 4;
    }
}

static void from_mb2(uintptr_t info)
{
    uintptr_t at = info + 8, end = info + *(const uint32_t *)info;
    while (at + 8 <= end) {
        const struct mb2_tag *t = (const void *)at;
        if (t->type == 0)
            break;
        if (t->type == 1)
            boot.cmdline = (const char *)(at + 8);
        if (t->type == 3)
            add_module(*(const uint32_t *)(at + 8), *(const uint32_t *)(at + 12), (const char *)(at + 16));
        if (t->type == 7 || t->type == 8)
            boot.has_video = true;
        if (t->type == 6)
            for (uintptr_t e = at + 16; e + 20 <= at + t->size; e += *(const uint32_t *)(at + 8))
                add_range(*(const uint64_t *)e, *(const uint64_t *)(e + 8), *(const uint32_t *)(e + 16));
        at += (t->size + 7) & ~7u;
    }
}

/* Called by start.S. `mark` identifies the protocol, `info` is the loader's value of EBX. */
void start_c(uint32_t mark, uintptr_t info)
{
    boot.entered = rdtsc();
    boot.cmdline = "";
    boot.info = info;
    console_init();
    trap_load(0);
    outb(0x21, 0xff); /* mask the legacy controllers, which firmware may have left unmasked */
    outb(0xa1, 0xff);
    if (mark == 0x50564820) {
        boot.kind = BOOT_PVH;
        from_pvh((const void *)info);
    } else if (mark == 0x2badb002) {
        boot.kind = BOOT_MULTIBOOT1;
        from_mb1((const void *)info);
    } else if (mark == 0x36d76289) {
        boot.kind = BOOT_MULTIBOOT2;
        from_mb2(info);
    }
    guest_main();
    power_off();
}
