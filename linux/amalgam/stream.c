// SPDX-License-Identifier: MIT
/*
 * stream.c - the tagged channel between programs and the kernel.
 *
 * What the kernel says goes from its ring into a longer one of ours, from which every open file reads on its own: each
 * sees everything from when it was opened, or from the oldest byte kept. The kernel never waits for a slow reader, who
 * loses the oldest bytes instead. Since a stream that is joined in its middle means nothing, the ring knows whose the
 * bytes at both its ends are, and a reader gets that tag first.
 *
 * Towards the kernel every file is a speaker of its own: when another one spoke before, its tag is sent again.
 *
 * The kernel's doorbell is an NMI, since Linux' interrupts are not ours. Its handler may do nothing but queue work,
 * which takes the bytes and wakes readers.
 */
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <asm/nmi.h>

#include "module.h"

#define KEPT     (256 * 1024) /* a power of two */
#define PIECE    256
#define TAG      0xff
#define KERNEL   0xfe
#define PATIENCE msecs_to_jiffies(20) /* then look for room again: a doorbell may have come while none was attached */

/* Whose the next byte is. */
struct tag {
    u8 source;
    bool escape; /* the byte before was TAG */
};

struct reader {
    u64 at;
    u8 first[3]; /* what it gets before the bytes at `at` */
    u8 first_n;
    struct tag says; /* what it has written */
};

static struct {
    spinlock_t lock; /* all of this, and the reading end of shared->out */
    struct attach_shared *shared;
    u8 *byte;
    u64 head, tail;            /* count up for ever; head - tail <= KEPT */
    struct tag newest, oldest; /* at head, at tail */
    wait_queue_head_t news;    /* bytes for readers, or room for writers */
    struct mutex writing;
    const struct reader *wrote; /* the last one; only compared */
} stream = {
    .lock = __SPIN_LOCK_UNLOCKED(stream.lock),
    .news = __WAIT_QUEUE_HEAD_INITIALIZER(stream.news),
    .writing = __MUTEX_INITIALIZER(stream.writing),
    .newest.source = KERNEL,
    .oldest.source = KERNEL,
};

static void tag_next(struct tag *tag, u8 byte)
{
    if (!tag->escape) {
        tag->escape = byte == TAG;
        return;
    }
    tag->escape = false;
    if (byte != TAG)
        tag->source = byte;
}

/* The bytes that bring a peer to this state. */
static u8 tag_bytes(const struct tag *tag, u8 bytes[3])
{
    bytes[0] = bytes[2] = TAG;
    bytes[1] = tag->source;
    return tag->escape ? 3 : 2;
}

static void keep(u8 byte)
{
    if (stream.head - stream.tail == KEPT)
        tag_next(&stream.oldest, stream.byte[stream.tail++ % KEPT]);
    stream.byte[stream.head++ % KEPT] = byte;
    tag_next(&stream.newest, byte);
}

/* Take what the kernel has said. The lock is held. */
static void take(void)
{
    struct attach_ring *ring;
    u32 tail, n, i;

    if (!stream.shared)
        return;
    ring = &stream.shared->out;
    tail = ring->tail;
    n = smp_load_acquire(&ring->head) - tail;
    if (n > ATTACH_OUT_SIZE) { /* no state that a sound writer leaves behind */
        pr_warn_once("amalgam: the kernel's ring is damaged, its bytes are lost\n");
        smp_store_release(&ring->tail, tail + n);
        return;
    }
    for (i = 0; i < n; i++)
        keep(stream.shared->out_bytes[(tail + i) % ATTACH_OUT_SIZE]);
    smp_store_release(&ring->tail, tail + n);
    if (n)
        wake_up_all(&stream.news);
}

static void on_work(struct irq_work *work)
{
    unsigned long flags;

    spin_lock_irqsave(&stream.lock, flags);
    take();
    spin_unlock_irqrestore(&stream.lock, flags);
    wake_up_all(&stream.news); /* the doorbell also says that there is room again */
    split_bell();
}

static struct irq_work work = IRQ_WORK_INIT(on_work);

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
    struct attach_shared *shared = READ_ONCE(stream.shared);

    if (!shared || !xchg(&shared->bell, 0))
        return NMI_DONE;
    irq_work_queue(&work);
    return NMI_HANDLED;
}

int stream_start(void)
{
    int error;

    stream.byte = fail_here() ? NULL : vmalloc(KEPT);
    if (!stream.byte)
        return -ENOMEM;
    error = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "amalgam");
    if (error)
        vfree(stream.byte);
    return error;
}

void stream_stop(void)
{
    unregister_nmi_handler(NMI_LOCAL, "amalgam");
    irq_work_sync(&work);
    vfree(stream.byte);
}

void stream_connect(struct attach_shared *shared)
{
    spin_lock_irq(&stream.lock);
    WRITE_ONCE(stream.shared, shared);
    spin_unlock_irq(&stream.lock);
    split_connect();
}

/* The kernel says nothing any more. After this nobody looks at `shared`: NMI handlers are over when
 * synchronize_rcu() is. */
void stream_disconnect(void)
{
    split_disconnect();
    mutex_lock(&stream.writing);
    spin_lock_irq(&stream.lock);
    take();
    WRITE_ONCE(stream.shared, NULL);
    spin_unlock_irq(&stream.lock);
    mutex_unlock(&stream.writing);
    synchronize_rcu();
    irq_work_sync(&work);
    wake_up_all(&stream.news);
}

static void join(struct reader *r, u64 at, const struct tag *tag)
{
    r->at = at;
    r->first_n = tag_bytes(tag, r->first);
}

int reader_seek(struct reader *r, bool oldest)
{
    spin_lock_irq(&stream.lock);
    take();
    join(r, oldest ? stream.tail : stream.head, oldest ? &stream.oldest : &stream.newest);
    spin_unlock_irq(&stream.lock);
    return 0;
}

struct reader *reader_new(void)
{
    struct reader *r = fail_here() ? NULL : kzalloc(sizeof(*r), GFP_KERNEL);

    if (!r)
        return NULL;
    r->says.source = KERNEL;
    reader_seek(r, false);
    return r;
}

void reader_free(struct reader *r)
{
    mutex_lock(&stream.writing);
    if (stream.wrote == r)
        stream.wrote = NULL;
    mutex_unlock(&stream.writing);
    kfree(r);
}

/* Up to PIECE bytes for this reader. */
static size_t next_piece(struct reader *r, u8 *to, size_t room)
{
    size_t n = 0;

    spin_lock_irq(&stream.lock);
    take();
    if (r->at < stream.tail)
        join(r, stream.tail, &stream.oldest); /* it was too slow */
    if (r->at < stream.head && r->first_n && r->first_n <= room) {
        memcpy(to, r->first, r->first_n);
        n = r->first_n;
        r->first_n = 0;
    }
    while (!r->first_n && n < room && r->at < stream.head)
        to[n++] = stream.byte[r->at++ % KEPT];
    spin_unlock_irq(&stream.lock);
    return n;
}

static bool has_news(const struct reader *r)
{
    bool news;

    spin_lock_irq(&stream.lock);
    take();
    news = r->at < stream.head;
    spin_unlock_irq(&stream.lock);
    return news;
}

/* Two threads that read by one file get the bytes in turns, whichever they are: as from a terminal. */
ssize_t reader_read(struct reader *r, char __user *to, size_t count, bool wait)
{
    u8 piece[PIECE];
    size_t done = 0, n;
    int error;

    if (count < sizeof(r->first))
        return -EINVAL;
    while (!has_news(r)) {
        if (!wait)
            return -EAGAIN;
        error = wait_event_interruptible(stream.news, has_news(r));
        if (error)
            return error;
    }
    while (done < count && (n = next_piece(r, piece, min_t(size_t, count - done, PIECE)))) {
        if (copy_to_user(to + done, piece, n))
            return done ? done : -EFAULT;
        done += n;
    }
    return done;
}

static u32 room_in(const struct attach_shared *shared)
{
    u32 used = shared->in.head - smp_load_acquire(&shared->in.tail);

    return used > ATTACH_IN_SIZE ? 0 : ATTACH_IN_SIZE - used;
}

/* The writers' mutex is held, there is room. */
static void put(struct attach_shared *shared, const u8 *from, size_t n)
{
    u32 head = shared->in.head;
    size_t i;

    for (i = 0; i < n; i++)
        shared->in_bytes[(head + i) % ATTACH_IN_SIZE] = from[i];
    smp_store_release(&shared->in.head, head + (u32)n);
}

/* While the kernel is attached `shared` stays: to unload it, one must get the mutex that we hold. */
static int wait_for_room(u32 n, bool wait)
{
    while (READ_ONCE(amalgam.state) == AMALGAM_ATTACHED) {
        if (room_in(stream.shared) >= n)
            return 0;
        if (!wait)
            return -EAGAIN;
        if (wait_event_interruptible_timeout(stream.news, room_in(stream.shared) >= n, PATIENCE) < 0)
            return -ERESTARTSYS;
    }
    return -ENXIO;
}

static int write_piece(struct reader *r, const u8 *piece, size_t n, bool wait)
{
    u8 first[3];
    int error = wait_for_room(n + sizeof(first), wait);
    size_t i;

    if (error)
        return error;
    if (stream.wrote != r)
        put(stream.shared, first, tag_bytes(&r->says, first));
    stream.wrote = r;
    put(stream.shared, piece, n);
    for (i = 0; i < n; i++)
        tag_next(&r->says, piece[i]);
    kernel_call(ATTACH_CALL_NOTIFY, 0, 0); /* that it was detached meanwhile is no error: the bytes wait */
    return 0;
}

ssize_t reader_write(struct reader *r, const char __user *from, size_t count, bool wait)
{
    u8 piece[PIECE];
    size_t done = 0, n;
    int error = 0;

    if (mutex_lock_interruptible(&stream.writing))
        return -ERESTARTSYS;
    while (done < count && !error) {
        n = min_t(size_t, count - done, PIECE);
        error = copy_from_user(piece, from + done, n) ? -EFAULT : write_piece(r, piece, n, wait);
        done += error ? 0 : n;
    }
    mutex_unlock(&stream.writing);
    return done ? done : error;
}

__poll_t reader_poll(struct reader *r, struct file *file, poll_table *table)
{
    struct attach_shared *shared;
    __poll_t ready = 0;

    poll_wait(file, &stream.news, table);
    if (has_news(r))
        ready |= EPOLLIN | EPOLLRDNORM;
    spin_lock_irq(&stream.lock);
    shared = stream.shared;
    if (shared && room_in(shared) > PIECE)
        ready |= EPOLLOUT | EPOLLWRNORM;
    spin_unlock_irq(&stream.lock);
    return ready;
}
