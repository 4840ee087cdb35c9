/* SPDX-License-Identifier: MIT */
/*
 * backend_serve.c - serves a guest's disk by pread and pwrite (a flush by fdatasync), and its network by a tap. Each
 * request is checked against the size of the file before it is done.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "backend_serve.h"

static int open_block(struct back *b)
{
    struct stat st;

    b->fd = open(b->path, O_RDWR | O_CLOEXEC);
    if (b->fd < 0 && (errno == EACCES || errno == EROFS))
        b->fd = open(b->path, O_RDONLY | O_CLOEXEC);
    if (b->fd < 0 || fstat(b->fd, &st))
        return fail("name a file: --block NAME=FILE", "%s: %s: %s", b->name, b->path, strerror(errno));
    b->size = (u64)st.st_size;
    if (S_ISBLK(st.st_mode) && ioctl(b->fd, BLKGETSIZE64, &b->size))
        return fail("", "%s: its size: %s", b->path, strerror(errno));
    return 0;
}

static int open_tap(struct back *b)
{
    struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

    if (strlen(b->path) >= sizeof(request.ifr_name))
        return fail("name a tap: --net NAME=TAP", "%s: '%s' is longer than a tap's name, %zu characters", b->name,
                    b->path, sizeof(request.ifr_name) - 1);
    strcpy(request.ifr_name, b->path);
    b->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (b->fd < 0)
        return fail("modprobe tun", "%s: /dev/net/tun: %s", b->name, strerror(errno));
    if (ioctl(b->fd, TUNSETIFF, &request))
        return fail("run it as root, and end what uses the tap", "%s: tap %s: %s", b->name, b->path, strerror(errno));
    return 0;
}

int back_open(struct back *b) { return b->type == BACKEND_BLOCK ? open_block(b) : open_tap(b); }

/* --- disks -------------------------------------------------------------------------------------------- */

static bool transfer(const struct back *b, bool out, u8 *data, u32 length, u64 at)
{
    for (u32 done = 0; done < length;) {
        unsigned long long from = at + done;
        ssize_t n = out ? pwrite(b->fd, data + done, length - done, (off_t)from)
                        : pread(b->fd, data + done, length - done, (off_t)from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fprintf(stderr, "amalgam: backend: %s: %s at %llu: %s\n", b->name, out ? "writing" : "reading", from,
                    n ? strerror(errno) : "end of file");
            return false;
        }
        done += (u32)n;
    }
    return true;
}

static bool serve_request(const struct back *b, struct backend_block *r)
{
    u32 operation = r->operation, length = r->length;
    u64 sector = r->sector, at = sector * SECTOR;

    if (operation == BACKEND_FLUSH)
        return !fdatasync(b->fd);
    if (operation > BACKEND_WRITE || length > BACKEND_DATA || sector > b->size / SECTOR || length > b->size - at)
        return false;
    return transfer(b, operation == BACKEND_WRITE, r->data, length, at);
}

bool serve_block(const struct back *b)
{
    struct backend_block *r = b->memory;
    u32 asked = load_acquire(&r->asked);

    if (asked == load_acquire(&r->done))
        return false;
    r->status = !serve_request(b, r);
    store(&r->done, asked);
    return true;
}

/* --- networks ----------------------------------------------------------------------------------------- */

void net_to_tap(const struct back *b)
{
    struct backend_ring *ring = &((struct backend_net *)b->memory)->to_linux;
    u32 tail = ring->tail, head = load_acquire(&ring->head);

    for (; tail != head && head - tail <= BACKEND_FRAMES; tail++) {
        const struct backend_frame *f = &ring->frame[tail % BACKEND_FRAMES];
        u32 length = f->length;
        if (length <= BACKEND_FRAME && write(b->fd, f->byte, length) < 0 && errno != EAGAIN && errno != EIO)
            fprintf(stderr, "amalgam: backend: %s: %s\n", b->path, strerror(errno));
    }
    store(&ring->tail, head);
}

bool tap_to_net(const struct back *b)
{
    struct backend_ring *to = &((struct backend_net *)b->memory)->to_guests;
    u32 head = to->head, first = head;

    while (head - load_acquire(&to->tail) < BACKEND_FRAMES) {
        struct backend_frame *f = &to->frame[head % BACKEND_FRAMES];
        ssize_t n = read(b->fd, f->byte, BACKEND_FRAME);
        if (n <= 0)
            break;
        f->length = (u32)n;
        store(&to->head, ++head);
    }
    return head != first;
}

bool has_room(const struct back *b)
{
    const struct backend_ring *to = &((struct backend_net *)b->memory)->to_guests;
    return to->head - load_acquire(&to->tail) < BACKEND_FRAMES;
}
