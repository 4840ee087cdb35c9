// SPDX-License-Identifier: MIT
/*
 * main.c - the device /dev/amalgam. Its calls run one at a time; read, write and poll are in stream.c.
 *
 * A call that fails stores its reason as text in the open file that made it; AMALGAM_WHY reads it. While the kernel is
 * attached the module holds a reference to itself, so it cannot be unloaded.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "module.h"

struct amalgam amalgam = { .lock = __MUTEX_INITIALIZER(amalgam.lock) };

static int fail_at;
static atomic_t fail_count;

struct client {
    struct reader *reader;
    char why[sizeof(amalgam.why)];
};

int why(int error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vscnprintf(amalgam.why, sizeof(amalgam.why), format, args);
    va_end(args);
    return error;
}

bool fail_here(void) { return READ_ONCE(fail_at) && atomic_inc_return(&fail_count) == fail_at; }

static int set_fail_at(const char *value, const struct kernel_param *param)
{
    atomic_set(&fail_count, 0);
    return param_set_int(value, param);
}

static const struct kernel_param_ops fail_ops = { .set = set_fail_at, .get = param_get_int };
module_param_cb(fail_at, &fail_ops, &fail_at, 0600);
MODULE_PARM_DESC(fail_at, "test: the nth allocation from now fails");

static int call_load(void *args)
{
    if (!capable(CAP_SYS_MODULE)) /* the loaded kernel can do whatever a module can */
        return why(-EACCES, "loading a kernel needs CAP_SYS_MODULE, as loading a module does");
    if (amalgam.state != AMALGAM_EMPTY)
        return kernel_is(args) ? why(-EALREADY, "this kernel is loaded already")
                               : why(-EEXIST, "another kernel is loaded, or one with another amount of memory");
    return gate_check() ?: kernel_load(args);
}

static int call_unload(void *args)
{
    if (amalgam.state == AMALGAM_ATTACHED)
        return why(-EBUSY, "the kernel is attached");
    if (amalgam.state == AMALGAM_EMPTY)
        return why(-ENODATA, "nothing is loaded");
    if (!split_disconnect())
        return why(-EBUSY, "a program still maps the kernel's shared memory: end `amalgam backend`");
    kernel_unload();
    return 0;
}

static int call_attach(void *args)
{
    int error;

    if (amalgam.state == AMALGAM_ATTACHED)
        return why(-EALREADY, "the kernel is attached already");
    if (amalgam.state == AMALGAM_EMPTY)
        return why(-ENODATA, "nothing is loaded");
    if (power_is_suspending())
        return why(-EAGAIN, "this Linux is about to sleep");
    error = gate_check(); /* KVM may have been started since load */
    return error ? error : attach_all(args);
}

static int call_detach(void *args)
{
    if (amalgam.state != AMALGAM_ATTACHED)
        return why(-EALREADY, "the kernel is not attached");
    return detach_all(args);
}

static u64 count(enum attach_count which)
{
    s64 value = amalgam.state == AMALGAM_ATTACHED ? kernel_call(ATTACH_CALL_COUNT, which, 0) : 0;

    return value < 0 ? 0 : value;
}

static int call_status(void *args)
{
    struct amalgam_status *s = args;

    *s = (struct amalgam_status){
        .state = amalgam.state,
        .abi = amalgam.state == AMALGAM_EMPTY ? 0 : ATTACH_ABI,
        .cpus_attached = amalgam.state == AMALGAM_ATTACHED ? num_online_cpus() : 0,
        .cores = count(ATTACH_COUNT_CORES),
        .region = amalgam.region,
        .given = count(ATTACH_COUNT_GIVEN),
        .free = count(ATTACH_COUNT_FREE),
        .exits = count(ATTACH_COUNT_EXITS),
        .refused_writes = count(ATTACH_COUNT_REFUSED),
        .refused_at = count(ATTACH_COUNT_REFUSED_AT),
        .refused_rip = (s64)(count(ATTACH_COUNT_REFUSED_RIP) << 1) >> 1, /* sent without bit 63: below 0 are errors */
        .stray = count(ATTACH_COUNT_STRAY),
        .attaches = amalgam.attaches,
        .detaches = amalgam.detaches,
        .dead = amalgam.shared && READ_ONCE(amalgam.shared->dead),
    };
    return 0;
}

static int needs_attached(void)
{
    return amalgam.state == AMALGAM_ATTACHED ? 0 : why(-ENXIO, "the kernel is not attached");
}

static int call_cpu_give(void *args) { return needs_attached() ?: cpu_give(args); }
static int call_cpu_take(void *args) { return needs_attached() ?: cpu_take(args); }
static int call_cpu_state(void *args) { return needs_attached() ?: cpu_state(args); }
static int call_mem_give(void *args) { return needs_attached() ?: memory_give(args); }
static int call_mem_take(void *args) { return needs_attached() ?: memory_take(args); }

static int call_mem_write(void *args) { return memory_write(args); }
static int call_held(void *args) { return record_get(args); }

static int call_mem_claim(void *args) { return needs_attached() ?: record_claim(args, amalgam.client); }

static const struct {
    unsigned int number;
    int (*run)(void *args);
} calls[] = {
    { AMALGAM_LOAD, call_load },         { AMALGAM_UNLOAD, call_unload },       { AMALGAM_ATTACH, call_attach },
    { AMALGAM_DETACH, call_detach },     { AMALGAM_STATUS, call_status },       { AMALGAM_CPU_GIVE, call_cpu_give },
    { AMALGAM_CPU_TAKE, call_cpu_take }, { AMALGAM_CPU_STATE, call_cpu_state }, { AMALGAM_MEM_GIVE, call_mem_give },
    { AMALGAM_MEM_TAKE, call_mem_take }, { AMALGAM_MEM_WRITE, call_mem_write }, { AMALGAM_MEM_CLAIM, call_mem_claim },
    { AMALGAM_HELD, call_held },
};

/* The arguments of all calls. The number of a call holds its arguments' size and direction (_IOC_SIZE, _IOC_DIR). */
union arguments {
    struct amalgam_load load;
    struct amalgam_switched switched;
    struct amalgam_status status;
    struct amalgam_range range;
    struct amalgam_write write;
    struct amalgam_cpu cpu;
    struct amalgam_held held;
};

/* Copy the bytes that the arguments point to. This is done without the lock: the caller decides how long its page
 * faults take, and a restart of Linux wants the lock. */
static void *copy_bytes(unsigned int number, const union arguments *args)
{
    u64 from = number == AMALGAM_LOAD ? args->load.image : args->write.from;
    u64 size = number == AMALGAM_LOAD ? args->load.size : args->write.size;

    if ((number != AMALGAM_LOAD && number != AMALGAM_MEM_WRITE) || !size || size > COPY_MAX)
        return NULL;
    return fail_here() ? ERR_PTR(-ENOMEM) : vmemdup_user(u64_to_user_ptr(from), size);
}

static long run_locked(struct client *client, unsigned int i, union arguments *args, const void *copy)
{
    long error;

    if (mutex_lock_interruptible(&amalgam.lock))
        return -EINTR;
    amalgam.why[0] = '\0';
    amalgam.client = client;
    amalgam.copy = copy;
    error = calls[i].run(args);
    amalgam.copy = NULL;
    strscpy(client->why, amalgam.why, sizeof(client->why));
    mutex_unlock(&amalgam.lock);
    return error;
}

static long run_call(struct client *client, unsigned int i, void __user *user)
{
    unsigned int size = _IOC_SIZE(calls[i].number), way = _IOC_DIR(calls[i].number);
    union arguments args = {};
    void *copy;
    long error;

    BUILD_BUG_ON(sizeof(args) > 256);
    if ((way & _IOC_WRITE) && copy_from_user(&args, user, size))
        return -EFAULT;
    copy = copy_bytes(calls[i].number, &args);
    if (IS_ERR(copy))
        return PTR_ERR(copy);
    error = run_locked(client, i, &args, copy);
    kvfree(copy);
    if (!error && (way & _IOC_READ) && copy_to_user(user, &args, size))
        return -EFAULT;
    return error;
}

static long device_ioctl(struct file *file, unsigned int number, unsigned long arg)
{
    struct client *client = file->private_data;
    void __user *user = (void __user *)arg;
    unsigned int i;

    if (!capable(CAP_SYS_ADMIN))
        return -EACCES;
    if (number == AMALGAM_WHY)
        return copy_to_user(user, client->why, sizeof(client->why)) ? -EFAULT : 0;
    for (i = 0; i < ARRAY_SIZE(calls); i++)
        if (calls[i].number == number)
            return run_call(client, i, user);
    return -ENOTTY;
}

static int device_open(struct inode *inode, struct file *file)
{
    struct client *client;

    if (!capable(CAP_SYS_ADMIN)) /* because read and write reach the control console */
        return -EACCES;
    client = fail_here() ? NULL : kzalloc(sizeof(*client), GFP_KERNEL);
    if (!client)
        return -ENOMEM;
    client->reader = reader_new();
    if (!client->reader) {
        kfree(client);
        return -ENOMEM;
    }
    file->private_data = client;
    return 0;
}

static int device_release(struct inode *inode, struct file *file)
{
    struct client *client = file->private_data;

    record_release(client);
    reader_free(client->reader);
    kfree(client);
    return 0;
}

static ssize_t device_read(struct file *file, char __user *to, size_t bytes, loff_t *at)
{
    return reader_read(((struct client *)file->private_data)->reader, to, bytes, !(file->f_flags & O_NONBLOCK));
}

static ssize_t device_write(struct file *file, const char __user *from, size_t bytes, loff_t *at)
{
    return reader_write(((struct client *)file->private_data)->reader, from, bytes, !(file->f_flags & O_NONBLOCK));
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
    return reader_poll(((struct client *)file->private_data)->reader, file, table);
}

/* SEEK_SET: to the oldest byte that is kept. SEEK_END: behind the newest one. */
static loff_t device_seek(struct file *file, loff_t offset, int whence)
{
    if (offset || (whence != SEEK_SET && whence != SEEK_END))
        return -EINVAL;
    return reader_seek(((struct client *)file->private_data)->reader, whence == SEEK_SET);
}

static const struct file_operations device_operations = {
    .owner = THIS_MODULE,
    .open = device_open,
    .release = device_release,
    .read = device_read,
    .write = device_write,
    .poll = device_poll,
    .llseek = device_seek,
    .unlocked_ioctl = device_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "amalgam",
    .mode = 0600,
    .fops = &device_operations,
};

static int device_start(void) { return misc_register(&device); }
static void device_stop(void) { misc_deregister(&device); }

static const struct {
    int (*start)(void);
    void (*stop)(void);
} parts[] = {
    { split_start, split_stop },   { stream_start, stream_stop }, { hotplug_start, hotplug_stop },
    { memory_start, memory_stop }, { power_start, power_stop },   { device_start, device_stop },
};

static void stop_parts(unsigned int n)
{
    while (n)
        parts[--n].stop();
}

static int __init amalgam_init(void)
{
    unsigned int i;
    int error;

    for (i = 0; i < ARRAY_SIZE(parts); i++) {
        error = fail_here() ? -ENOMEM : parts[i].start();
        if (error) {
            stop_parts(i);
            return error;
        }
    }
    return 0;
}

/* Never called while attached: the module then holds a reference to itself. */
static void __exit amalgam_exit(void)
{
    device_stop();
    if (amalgam.state == AMALGAM_LOADED)
        kernel_unload();
    stop_parts(ARRAY_SIZE(parts) - 1);
}

module_init(amalgam_init);
module_exit(amalgam_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Puts the Amalgam kernel beneath the running Linux, and takes it out again");
