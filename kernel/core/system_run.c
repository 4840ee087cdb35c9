/* SPDX-License-Identifier: MIT */
/*
 * system_run.c - loads and destroys systems at run time; see core/system.h.
 *
 * When a system is destroyed each page that it had is free again, so that the memory can be taken back. This includes
 * the stacks of its threads, which are unmapped on all cores (hal_stack_trim), and the rings of the event trace.
 */
#include <boot_info.h>
#include <core/channel.h>
#include <core/cores.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/system.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/memory.h>

static paddr_t image_base;
static u64 image_size; /* whole pages at image_base that are freed with the system; 0: the image is the loader's */

static int cannot_take(paddr_t base, u64 size, int err)
{
    if (err == -EINVAL)
        printk("system: an image lies on whole pages: %llx is not the address of one, or %llx bytes reach too far\n",
               base, size);
    else
        printk("system: %llx to %llx is not all free memory of this kernel (error %d)\n", base, base + size, err);
    return err;
}

/* Read the size that the image at `base` says; without the magic number a page, and the check then says what is
 * wrong. */
static int read_size(paddr_t base, u64 *size)
{
    int err = frames_claim(base, PAGE_SIZE);
    if (err)
        return cannot_take(base, PAGE_SIZE, err);
    const struct sys_header *h = phys_to_virt(base);
    *size = h->magic == SYS_MAGIC ? MAX(h->image_size, PAGE_SIZE) : PAGE_SIZE;
    frames_free(base, 1);
    return 0;
}

static int claim_image(paddr_t base, u64 *size)
{
    int err = *size ? 0 : read_size(base, size);
    if (err)
        return err;
    u64 whole = ALIGN_UP(*size, PAGE_SIZE); /* 0 if it wraps: frames_claim() refuses that */
    err = frames_claim(base, whole);
    return err ? cannot_take(base, *size, err) : 0;
}

static void begin_frame(void *arg)
{
    const struct sys_frame *f = arg;
    static ticks_t epoch; /* the same for all cores; the first frame sets it */
    if (f == sys_frame(system_table, 0))
        epoch = time_after(FRAME_EPOCH_NS);
    irq_disable(); /* until this thread ends: its group may have no time on this core from now on */
    system_set_frame(f, epoch);
    alarm_before(this_cpu(), epoch);
}

static int create_all(void)
{
    int err = 0;
    if (channel_ops)
        channel_ops->renew();
    system_assign_groups();
    domains_create();
    for (unsigned i = 0; i < n_domains; i++)
        if (domains[i].state == DOMAIN_EMPTY)
            err = -ENOMEM;
    for (unsigned i = 0; i < system_table->n_frames && !err; i++) {
        const struct sys_frame *f = sys_frame(system_table, i);
        err = core_visit(f->core, begin_frame, (void *)f);
    }
    return err;
}

static void run_on_all_cores(void (*fn)(void *))
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (cpus[i] && core_visit(i, fn, NULL) == -ENOMEM)
            panic("no memory to visit core %u", i); /* cannot happen: a system has just freed all of its memory */
}

/* The loader gave the image: free only pages that lie wholly within it. */
static void boot_image(void)
{
    image_base = ALIGN_UP(boot_info.system_base, PAGE_SIZE);
    paddr_t end = ALIGN_DOWN(boot_info.system_base + boot_info.system_size, PAGE_SIZE);
    image_size = end > image_base ? end - image_base : 0;
}

/* Only cores of the present system have frames, and none of them leaves before system_table is NULL. */
static void clear_frames(void)
{
    for (unsigned i = 0; i < system_table->n_frames; i++)
        sched_clear_frame(cpus[sys_frame(system_table, i)->core]);
}

static void destroy_system(void)
{
    domains_end();
    clear_frames();
    cores_release();
    if (channel_ops)
        channel_ops->renew();
    frames_clean(image_base, image_size >> PAGE_SHIFT);
    image_size = 0;
    trace_enable(false);
    hal_stack_trim(run_on_all_cores);
    trace_free();
}

int system_load(paddr_t base, u64 size)
{
    if (system_table) {
        printk("system: %s is there already; `destroy` it first\n", system_table->name);
        return -EEXIST;
    }
    int err = claim_image(base, &size);
    if (err)
        return err;
    const struct sys_header *h = phys_to_virt(base);
    image_base = base;
    image_size = ALIGN_UP(size, PAGE_SIZE);
    err = system_refused(h, size);
    if (!err)
        err = cores_bind(h);
    if (err) {
        frames_free(image_base, image_size >> PAGE_SHIFT); /* unchanged */
        image_size = 0;
        return err;
    }
    system_use(h);
    err = create_all();
    if (!err)
        err = domains_start();
    if (err) {
        destroy_system();
        printk("system: not all domains could be created: none is there (error %d)\n", err);
        return err;
    }
    return 0;
}

int system_unload(void)
{
    if (!system_table) {
        printk("system: none is there\n");
        return -ENOENT;
    }
    if (!image_size)
        boot_image();
    destroy_system();
    printk("system: destroyed; %llu KiB free\n", (frames_free_bytes() >> 10));
    return 0;
}

/* Allocate two stacks and free them: a visit needs one more than the control console takes. So the same memory is
 * free before the first system comes and after the last has gone. */
static void prepare(void)
{
    void *stack[2] = { hal_stack_alloc(), hal_stack_alloc() };
    for (unsigned i = 0; i < ARRAY_SIZE(stack); i++)
        if (stack[i])
            hal_stack_free(stack[i]);
}
INIT_CALL(prepare);
