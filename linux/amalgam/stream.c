// SPDX-License-Identifier: MIT
/*
 * stream.c - the tagged channel between programs and the kernel.
 *
 * The kernel's output goes from its ring, in shared memory, into a longer one of the module (kept.c). Every open file
 * reads that one at its own position, from when it was opened or from the oldest byte that is kept. The kernel never
 * waits for a slow reader; a slow reader loses the oldest bytes instead.
 *
 * Towards the kernel each file has a tag of its own, which is sent again when another file has written in between.
 *
 * When the kernel has rung (bell.c) its bytes are copied and the readers woken.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "kept.h"
#include "module.h"

#define PIECE    256
#define MOST_TAG 3                    /* bytes */
#define PATIENCE msecs_to_jiffies(20) /* between two checks for room: a doorbell is lost while no CPU is attached */

struct reader {
    struct kept_position at;
    struct tag says; /* the tag in force after what it has written */
};

static struct {
    spinlock_t lock; /* guards all but `writing` and `wrote`, the reading end of shared->out, and kept.c */
    struct attach_shared *shared;
    u8 *memory;                 /* kept.c's */
    wait_queue_head_t news;     /* woken when there are bytes for readers, or room for writers */
    struct mutex writing;       /* guards `wrote` and the writing end of shared->in */
    const struct reader *wrote; /* the last file that wrote; only compared */
} stream = {
    .lock = __SPIN_LOCK_UNLOCKED(stream.lock),
    .news = __WAIT_QUEUE_HEAD_INITIALIZER(stream.news),
    .writing = __MUTEX_INITIALIZER(stream.writing),
};

/* Copy the kernel's output into the module's ring. stream.lock must be held. */
static void take_output(void)
{
    struct attach_ring *ring;
    u32 tail, n, i;

    if (!stream.shared)
        return;
    ring = &stream.shared->out;
    tail = ring->tail;
    n = smp_load_acquire(&ring->head) - tail;
    if (n > ATTACH_OUT_SIZE) { /* a working kernel never leaves the ring like this */
        pr_warn_once("amalgam: the kernel's ring is damaged, its bytes are lost\n");
        smp_store_release(&ring->tail, tail + n);
        return;
    }
    for (i = 0; i < n; i++)
        kept_add(stream.shared->out_bytes[(tail + i) % ATTACH_OUT_SIZE]);
    smp_store_release(&ring->tail, tail + n);
    if (n)
        wake_up_all(&stream.news);
}

void stream_rung(void)
{
    unsigned long flags;

    spin_lock_irqsave(&stream.lock, flags);
    take_output();
    spin_unlock_irqrestore(&stream.lock, flags);
    wake_up_all(&stream.news); /* the doorbell may also mean that there is room again */
}

struct attach_shared *stream_shared(void) { return READ_ONCE(stream.shared); }

int stream_start(void)
{
    int error;

    stream.memory = fail_here() ? NULL : vmalloc(KEPT_MEMORY);
    if (!stream.memory)
        return -ENOMEM;
    kept_start(stream.memory);
    error = bell_start();
    if (error)
        vfree(stream.memory);
    return error;
}

void stream_stop(void)
{
    bell_stop();
    vfree(stream.memory);
}

void stream_connect(struct attach_shared *shared)
{
    spin_lock_irq(&stream.lock);
    WRITE_ONCE(stream.shared, shared);
    spin_unlock_irq(&stream.lock);
    split_connect();
}

/* Take the last output; after this nothing reads `shared`. */
void stream_disconnect(void)
{
    split_disconnect();
    mutex_lock(&stream.writing);
    spin_lock_irq(&stream.lock);
    take_output();
    WRITE_ONCE(stream.shared, NULL);
    spin_unlock_irq(&stream.lock);
    mutex_unlock(&stream.writing);
    bell_synchronize();
    wake_up_all(&stream.news);
}

int reader_seek(struct reader *r, bool oldest)
{
    spin_lock_irq(&stream.lock);
    take_output();
    kept_seek(&r->at, oldest);
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

/* Copy the next bytes for this reader, at most `room`. Returns their number. */
static size_t next_bytes(struct reader *r, u8 *to, size_t room)
{
    size_t n;

    spin_lock_irq(&stream.lock);
    take_output();
    n = kept_next(&r->at, to, room);
    spin_unlock_irq(&stream.lock);
    return n;
}

static bool has_news(const struct reader *r)
{
    bool news;

    spin_lock_irq(&stream.lock);
    take_output();
    news = kept_has_news(&r->at);
    spin_unlock_irq(&stream.lock);
    return news;
}

/* If two threads read one file, each byte goes to one of them, as with a terminal. */
ssize_t reader_read(struct reader *r, char __user *to, size_t count, bool wait)
{
    u8 piece[PIECE];
    size_t done = 0, n;
    int error;

    if (count < KEPT_LEAST)
        return -EINVAL;
    while (!has_news(r)) {
        if (!wait)
            return -EAGAIN;
        error = wait_event_interruptible(stream.news, has_news(r));
        if (error)
            return error;
    }
    while (done < count && (n = next_bytes(r, piece, min_t(size_t, count - done, PIECE)))) {
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

/* Put bytes into the kernel's ring, which has room. stream.writing must be held. */
static void ring_put(struct attach_shared *shared, const u8 *from, size_t n)
{
    u32 head = shared->in.head;
    size_t i;

    for (i = 0; i < n; i++)
        shared->in_bytes[(head + i) % ATTACH_IN_SIZE] = from[i];
    smp_store_release(&shared->in.head, head + (u32)n);
}

/* Returns 0: n bytes fit into the kernel's ring; -EAGAIN: not now; -ENXIO: nobody takes bytes out of it, because the
 * kernel is not attached or has panicked. stream.writing or stream.lock must be held. */
static int room_for(u32 n)
{
    const struct attach_shared *shared = stream.shared;

    if (READ_ONCE(amalgam.state) != AMALGAM_ATTACHED || !shared || READ_ONCE(shared->dead))
        return -ENXIO;
    return room_in(shared) >= n ? 0 : -EAGAIN;
}

static bool must_wait(u32 n)
{
    bool wait;

    spin_lock_irq(&stream.lock);
    wait = room_for(n) == -EAGAIN;
    spin_unlock_irq(&stream.lock);
    return wait;
}

/* The kernel's ring has room. stream.writing must be held. */
static void put_piece(struct reader *r, const u8 *piece, size_t n)
{
    u8 first[3];
    size_t i;

    if (stream.wrote != r)
        ring_put(stream.shared, first, tag_bytes(&r->says, first));
    stream.wrote = r;
    ring_put(stream.shared, piece, n);
    for (i = 0; i < n; i++)
        tag_next(&r->says, piece[i]);
    kernel_call(ATTACH_CALL_NOTIFY, 0, 0); /* fails if it was detached meanwhile; then the bytes wait in the ring */
}

/* Nobody waits for room, or for a page of a program, with stream.writing held: close() and stream_disconnect() take it
 * and cannot be interrupted. So other files may write between two pieces of a write. */
static int write_piece(struct reader *r, const u8 *piece, size_t n, bool wait)
{
    const u32 most = (u32)n + MOST_TAG;
    int error;

    for (;;) {
        if (mutex_lock_interruptible(&stream.writing))
            return -ERESTARTSYS;
        error = room_for(most);
        if (!error)
            put_piece(r, piece, n);
        mutex_unlock(&stream.writing);
        if (error != -EAGAIN || !wait)
            return error;
        if (wait_event_interruptible_timeout(stream.news, !must_wait(most), PATIENCE) < 0)
            return -ERESTARTSYS;
    }
}

ssize_t reader_write(struct reader *r, const char __user *from, size_t count, bool wait)
{
    u8 piece[PIECE];
    size_t done = 0, n;
    int error = 0;

    while (done < count && !error) {
        n = min_t(size_t, count - done, PIECE);
        error = copy_from_user(piece, from + done, n) ? -EFAULT : write_piece(r, piece, n, wait);
        done += error ? 0 : n;
    }
    return done ? done : error;
}

__poll_t reader_poll(struct reader *r, struct file *file, poll_table *table)
{
    __poll_t ready = 0;

    poll_wait(file, &stream.news, table);
    if (has_news(r))
        ready |= EPOLLIN | EPOLLRDNORM;
    spin_lock_irq(&stream.lock);
    if (stream.shared && room_for(PIECE + MOST_TAG) != -EAGAIN)
        ready |= EPOLLOUT | EPOLLWRNORM;
    spin_unlock_irq(&stream.lock);
    return ready;
}
