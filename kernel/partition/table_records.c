/* SPDX-License-Identifier: MIT */
/*
 * table_records.c - checks that nothing in the partition table leads the kernel outside its arrays, whoever wrote the
 * table (CONFIG_TABLE_CHECK). The host's compiler has checked the same, and more.
 */
#include <partition/bakery.h>
#include <partition/policy.h>
#include <partition/pt.h>

#define MEMORY_END 0x20000000u /* end of the largest board's memory */

/* Returns whether `n` records of `size` bytes at `offset` are within the table. */
static __init_text bool inside(u32 offset, u32 n, u32 size)
{
    return offset % 4 == 0 && offset <= pt()->table_size && n * size <= pt()->table_size - offset;
}

/* Returns whether the range is whole pages of the guests' memory. */
static __init_text bool memory_right(u32 base, u32 size)
{
    return base >= PT_VM_MEMORY && !((base | size) % PAGE_SIZE) && size && base <= MEMORY_END &&
           size <= MEMORY_END - base;
}

static __init_text bool vm_right(const struct pt_vm *vm)
{
    const struct pt_header *h = pt();
    const struct pt_segment *s = pt_segments() + vm->first_segment;

    if (!memory_right(vm->base, vm->size) || !vm->cores || vm->prio > 7 || vm->plan >= h->n_plans ||
        vm->first_segment + vm->n_segments > h->n_segments || vm->patches > h->image_size ||
        vm->n_patches > (h->image_size - vm->patches) / sizeof(struct pt_patch))
        return false;
    for (u32 i = 0; i < vm->n_segments; i++, s++)
        if ((s->src | s->gpa | s->filesz) % 4 || !s->filesz || s->gpa > vm->size || s->filesz > vm->size - s->gpa ||
            s->src > h->image_size || s->filesz > h->image_size - s->src)
            return false;
    return true;
}

#ifndef PARTITION_BELLS /* the build says 1 of a kernel whose cores ring each other (DOORBELL) */
#define PARTITION_BELLS 0
#endif

static __init_text u32 window_min(void)
{
    bool few = pt()->n_cores <= PT_CORES_FEW;
    if (PARTITION_BELLS)
        return few ? PT_WINDOW_MIN_BELL : PT_WINDOW_MIN_BELL_8;
    return few ? PT_WINDOW_MIN : PT_WINDOW_MIN_8;
}

static __init_text bool frame_right(const struct pt_frame *f, u32 core_id)
{
    const struct pt_window *w = pt_windows() + f->first_window;
    u32 left = PT_WINDOW_MAX;

    if (!f->n_windows || f->first_window + f->n_windows > pt()->n_windows)
        return false;
    for (u32 i = 0; i < f->n_windows; i++, w++) {
        const struct pt_vm *vm = &pt_vms()[w->vm];
        if (w->ticks < window_min() || w->ticks > left)
            return false;
        left -= w->ticks;
        /* A VM of the pool or of another core would have two owners. */
        if (w->vm != PT_ANY && (w->vm >= pt()->n_vms || policy_pooled(vm->flags) || vm->cores != 1u << core_id))
            return false;
    }
    return true;
}

static __init_text bool tunnel_right(const struct pt_tunnel *t)
{
    return memory_right(t->base, t->size) && MAX(t->ends[0], t->ends[1]) < pt()->n_vms;
}

__init_text int table_records_check(void)
{
    const struct pt_header *h = pt();
    u32 i;

    if (h->n_vms - 1u >= PT_VMS || h->n_cores - 1u >= PT_CORES || h->n_plans - 1u >= PT_PLANS ||
        h->n_tunnels > PT_TUNNELS || !inside(h->off_vms, h->n_vms, sizeof(struct pt_vm)) ||
        !inside(h->off_frames, (u32)h->n_plans * h->n_cores, sizeof(struct pt_frame)) ||
        !inside(h->off_windows, h->n_windows, sizeof(struct pt_window)) ||
        !inside(h->off_segments, h->n_segments, sizeof(struct pt_segment)) ||
        !inside(h->off_tunnels, h->n_tunnels, sizeof(struct pt_tunnel)))
        return 3;
    for (i = 0; i < h->n_vms; i++)
        if (!vm_right(&pt_vms()[i]))
            return 0x100 + (int)i;
    for (i = 0; i < (u32)h->n_plans * h->n_cores; i++)
        if (!frame_right(&pt_frames()[i], i % h->n_cores))
            return 0x200 + (int)i;
    for (i = 0; i < h->n_tunnels; i++)
        if (!tunnel_right(&pt_tunnels()[i]))
            return 0x300 + (int)i;
    return 0;
}
