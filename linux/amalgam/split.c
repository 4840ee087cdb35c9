// SPDX-License-Identifier: MIT
/*
 * split.c - /dev/amalgam-split: the memory that guests' split drivers share with programs of this Linux
 * (kernel/api/backend.h).
 *
 * A program maps the area, waits in poll until the kernel has rung, reads how often it rang (4 bytes), and works on the
 * area. A write of any bytes rings the kernel. The module never reads the area. The kernel cannot be unloaded while a
 * program has the area mapped.
 *
 * split.lock is not amalgam.lock, because mmap() runs with the process's memory lock held, and a call that holds
 * amalgam.lock may wait for that lock.
 */
#include <linux/capability.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "module.h"

static struct {
    struct mutex lock;
    void *area; /* NULL: nothing is loaded; guarded by the lock, as `size` is */
    size_t size;
    atomic_t mapped; /* mappings of the area */
    atomic_t bells;  /* how often the kernel rang */
    wait_queue_head_t rung;
} split = { .lock = __MUTEX_INITIALIZER(split.lock), .rung = __WAIT_QUEUE_HEAD_INITIALIZER(split.rung) };

/* One open file. */
struct listener {
    u32 seen; /* the count of bells at its last read */
};

void split_bell(void)
{
    atomic_inc(&split.bells);
    wake_up_interruptible(&split.rung);
}

void split_connect(void)
{
    size_t head = PAGE_ALIGN(sizeof(struct attach_shared));

    if (amalgam.shared_size <= head)
        return;
    mutex_lock(&split.lock);
    split.area = (u8 *)amalgam.shared + head;
    split.size = amalgam.shared_size - head;
    mutex_unlock(&split.lock);
}

bool split_disconnect(void)
{
    bool mapped;

    mutex_lock(&split.lock);
    mapped = atomic_read(&split.mapped);
    if (!mapped)
        split.area = NULL;
    mutex_unlock(&split.lock);
    split_bell();
    return !mapped;
}

static int split_open(struct inode *inode, struct file *file)
{
    struct listener *l;

    if (!capable(CAP_SYS_ADMIN))
        return -EPERM;
    l = fail_here() ? NULL : kzalloc(sizeof(*l), GFP_KERNEL);
    if (!l)
        return -ENOMEM;
    l->seen = atomic_read(&split.bells) - 1; /* so that the first read and poll return at once */
    file->private_data = l;
    return nonseekable_open(inode, file);
}

static int split_release(struct inode *inode, struct file *file)
{
    kfree(file->private_data);
    return 0;
}

static ssize_t split_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
    struct listener *l = file->private_data;
    u32 bells;

    if (count < sizeof(bells))
        return -EINVAL;
    if (atomic_read(&split.bells) == l->seen) {
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        if (wait_event_interruptible(split.rung, atomic_read(&split.bells) != l->seen))
            return -ERESTARTSYS;
    }
    bells = atomic_read(&split.bells);
    l->seen = bells;
    return copy_to_user(to, &bells, sizeof(bells)) ? -EFAULT : sizeof(bells);
}

static ssize_t split_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
    s64 error = kernel_call(ATTACH_CALL_NOTIFY, 1, 0);

    return error < 0 ? error : count;
}

static __poll_t split_poll(struct file *file, poll_table *table)
{
    struct listener *l = file->private_data;

    poll_wait(file, &split.rung, table);
    return EPOLLOUT | (atomic_read(&split.bells) != l->seen ? EPOLLIN : 0);
}

static void area_opened(struct vm_area_struct *vma) { atomic_inc(&split.mapped); }
static void area_closed(struct vm_area_struct *vma) { atomic_dec(&split.mapped); }

static const struct vm_operations_struct area_operations = { .open = area_opened, .close = area_closed };

static int split_mmap(struct file *file, struct vm_area_struct *vma)
{
    size_t size = vma->vm_end - vma->vm_start, offset = vma->vm_pgoff << PAGE_SHIFT;
    int error = -ENXIO;

    if (mutex_lock_interruptible(&split.lock))
        return -EINTR;
    if (split.area)
        error = vma->vm_pgoff > split.size >> PAGE_SHIFT || size > split.size - offset ? -EINVAL : 0;
    if (!error)
        error = remap_pfn_range(vma, vma->vm_start, (virt_to_phys(split.area) + offset) >> PAGE_SHIFT, size,
                                vma->vm_page_prot);
    if (!error) {
        vma->vm_ops = &area_operations;
        area_opened(vma);
    }
    mutex_unlock(&split.lock);
    return error;
}

static const struct file_operations operations = {
    .owner = THIS_MODULE,
    .open = split_open,
    .release = split_release,
    .read = split_read,
    .write = split_write,
    .poll = split_poll,
    .mmap = split_mmap,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR, .name = "amalgam-split", .fops = &operations, .mode = 0600
};

int split_start(void) { return misc_register(&device); }
void split_stop(void) { misc_deregister(&device); }
