/* SPDX-License-Identifier: MIT */
/*
 * table.c - the check of the partition table (core/partition_table.h). The host compiler has checked the system; here
 * it is made sure that this is the table that it wrote (CRC), and that nothing in it leads the kernel outside its
 * arrays.
 */
#include <core/bakery.h>
#include <core/policy.h>
#include <core/table.h>

/* The line says which rule it was; one word is all the report there is. */
#define REFUSE_IF(condition)                                                                                           \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return __LINE__;                                                                                           \
    } while (0)

#define MEMORY_END 0x20000000u /* the largest board's */
#define IMAGE_MAX  0x10000000u

/* `n` records of `size` bytes at `offset` lie within the table. */
static __init_text bool inside(u32 offset, u32 n, u32 size)
{
    return offset % 4 == 0 && offset <= pt()->table_size && n * size <= pt()->table_size - offset;
}

/* IEEE 802.3, bit by bit: this runs once. The word of the CRC itself counts as zero. */
static __init_text u32 table_crc(const u8 *p, u32 n)
{
    u32 crc = 0xffffffffu;
    for (u32 i = 0; i < n; i++) {
        crc ^= i - offsetof(struct pt_header, crc32) < 4 ? 0 : p[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static __init_text int check_vm(const struct pt_vm *vm)
{
    const struct pt_header *h = pt();
    REFUSE_IF(vm->base < PT_VM_MEMORY || vm->base % PAGE_SIZE || vm->size % PAGE_SIZE || !vm->size);
    REFUSE_IF(vm->base > MEMORY_END || vm->size > MEMORY_END - vm->base);
    REFUSE_IF(!vm->cores || vm->prio > 7 || vm->plan >= h->n_plans);
    REFUSE_IF(vm->first_segment + vm->n_segments > h->n_segments);
    for (u32 i = 0; i < PT_EVENTS; i++)
        REFUSE_IF(vm->action[i] > PT_PLAN);
    const struct pt_segment *s = pt_segments() + vm->first_segment;
    for (u32 i = 0; i < vm->n_segments; i++, s++) {
        REFUSE_IF((s->src | s->gpa | s->filesz) % 4 || !s->filesz);
        REFUSE_IF(s->gpa > vm->size || s->filesz > vm->size - s->gpa);
        REFUSE_IF(s->src > h->image_size || s->filesz > h->image_size - s->src);
    }
    REFUSE_IF(vm->patches % 4 || vm->patches > h->image_size || vm->n_patches > (h->image_size - vm->patches) / 8);
    return 0;
}

static __init_text int check_frame(const struct pt_frame *f, u32 core_id)
{
    REFUSE_IF(!f->n_windows || f->first_window + f->n_windows > pt()->n_windows);
    const struct pt_window *w = pt_windows() + f->first_window;
    for (u32 i = 0; i < f->n_windows; i++, w++) {
        REFUSE_IF(w->ticks < PT_WINDOW_MIN || w->ticks > PT_WINDOW_MAX);
        REFUSE_IF(w->vm != PT_ANY && w->vm >= pt()->n_vms);
        /* Of the pool, or of another core: two cores would own it. */
        REFUSE_IF(w->vm != PT_ANY && (policy_pooled(&pt_vms()[w->vm]) || pt_vms()[w->vm].cores != 1u << core_id));
    }
    return 0;
}

__init_text int table_check(void)
{
    const struct pt_header *h = pt();
    int line = 0;

    REFUSE_IF(h->magic != PT_MAGIC || h->version != PT_VERSION || h->header_size != sizeof(*h));
    REFUSE_IF(h->image_size > IMAGE_MAX || h->table_size > h->image_size || h->table_size < sizeof(*h));
    REFUSE_IF(table_crc((const u8 *)h, h->table_size) != h->crc32);
    REFUSE_IF(!h->n_vms || h->n_vms > PT_VMS || !h->n_cores || h->n_cores > PT_CORES);
    REFUSE_IF(!h->n_plans || h->n_plans > PT_PLANS || h->n_tunnels > PT_TUNNELS);
    REFUSE_IF(!inside(h->off_vms, h->n_vms, sizeof(struct pt_vm)));
    REFUSE_IF(!inside(h->off_frames, (u32)h->n_plans * h->n_cores, sizeof(struct pt_frame)));
    REFUSE_IF(!inside(h->off_windows, h->n_windows, sizeof(struct pt_window)));
    REFUSE_IF(!inside(h->off_segments, h->n_segments, sizeof(struct pt_segment)));
    REFUSE_IF(!inside(h->off_tunnels, h->n_tunnels, sizeof(struct pt_tunnel)));
    for (u32 i = 0; i < h->n_vms && !line; i++)
        line = check_vm(&pt_vms()[i]);
    for (u32 i = 0; i < (u32)h->n_plans * h->n_cores && !line; i++)
        line = check_frame(&pt_frames()[i], i % h->n_cores);
    return line;
}
