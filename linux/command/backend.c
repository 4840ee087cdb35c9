/* SPDX-License-Identifier: MIT */
/*
 * backend.c - `amalgam backend`: the other half of guests' disks and networks, as files and taps of this Linux
 * (kernel/api/backend.h).
 *
 * One process, one loop: it sleeps until the kernel rings or a tap has a frame. A disk's request is served with
 * pread/pwrite while the guest waits for it; a flush is fdatasync. What the kernel announced is checked against the
 * size of the area and of the file before it is used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#include "backend.h"

#define DEVICE "/dev/amalgam-split"
#define SECTOR 512

/* One `--block NAME=PATH` or `--net NAME=TAP`, and the entry that it serves. */
struct back {
    u32 type; /* enum backend_type */
    const char *name, *path;
    int fd;
    int entry;    /* -1: the kernel has announced none of this name */
    void *memory; /* of the entry */
    u64 size;     /* block: bytes of the file */
};

static struct back backs[BACKEND_ENTRIES];
static unsigned n_backs;
static struct backend_area *area;
static int device = -1;
static volatile sig_atomic_t ended;

static void on_signal(int number) { ended = 1; }

/* --- what is served ----------------------------------------------------------------------------------- */

static int open_block(struct back *b)
{
    struct stat st;

    b->fd = open(b->path, O_RDWR | O_CLOEXEC);
    if (b->fd < 0 && (errno == EACCES || errno == EROFS))
        b->fd = open(b->path, O_RDONLY | O_CLOEXEC);
    if (b->fd < 0 || fstat(b->fd, &st))
        return fail("", "%s: %s", b->path, strerror(errno));
    b->size = (u64)st.st_size;
    if (S_ISBLK(st.st_mode) && ioctl(b->fd, BLKGETSIZE64, &b->size))
        return fail("", "%s: its size: %s", b->path, strerror(errno));
    return 0;
}

static int open_tap(struct back *b)
{
    struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

    if (strlen(b->path) >= sizeof(request.ifr_name))
        return fail("", "%s: a tap's name has at most %zu characters", b->path, sizeof(request.ifr_name) - 1);
    strcpy(request.ifr_name, b->path);
    b->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (b->fd < 0)
        return fail("", "/dev/net/tun: %s; is the module tun loaded?", strerror(errno));
    if (ioctl(b->fd, TUNSETIFF, &request))
        return fail("", "tap %s: %s", b->path, strerror(errno));
    return 0;
}

/* NAME=PATH. */
static int add(u32 type, char *text)
{
    char *equals = strchr(text, '=');
    struct back *b = &backs[n_backs];

    if (!equals || equals == text || !equals[1] || equals - text >= BACKEND_NAME)
        return fail("", "'%s' is not NAME=%s", text, type == BACKEND_BLOCK ? "FILE" : "TAP");
    if (n_backs == BACKEND_ENTRIES)
        return fail("", "at most %d back ends", BACKEND_ENTRIES);
    *equals = '\0';
    *b = (struct back){ .type = type, .name = text, .path = equals + 1, .fd = -1, .entry = -1 };
    n_backs++;
    return type == BACKEND_BLOCK ? open_block(b) : open_tap(b);
}

/* --- the area ----------------------------------------------------------------------------------------- */

static u32 load(const u32 *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static void store(u32 *word, u32 value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static void ring(int entry)
{
    u32 one = 1;

    __atomic_fetch_or(&area->to_kernel, 1u << entry, __ATOMIC_SEQ_CST);
    if (write(device, &one, sizeof(one)) < 0 && errno != ENXIO)
        fprintf(stderr, "amalgam: backend: the kernel cannot be rung: %s\n", strerror(errno));
}

/* The memory of an announced entry, if it lies in the area and holds what its type says. */
static void *memory_of(const struct backend_entry *e)
{
    u64 need = e->type == BACKEND_BLOCK ? sizeof(struct backend_block) : sizeof(struct backend_net);

    if (e->size < need || e->offset % 4096 || (u64)e->offset + e->size > area->size)
        return NULL;
    return (u8 *)area + e->offset;
}

/* Find each back end's entry; said once when it comes. */
static void connect_all(void)
{
    for (unsigned i = 0; i < n_backs; i++) {
        struct back *b = &backs[i];
        int found = -1;

        for (u32 n = 0; n < load(&area->n_entries) && n < BACKEND_ENTRIES; n++) {
            const struct backend_entry *e = &area->entry[n];
            if (e->type != b->type || strncmp(e->name, b->name, BACKEND_NAME))
                continue;
            if (!memory_of(e))
                fprintf(stderr, "amalgam: backend: %s: its memory lies outside the area\n", b->name);
            else if (b->type == BACKEND_BLOCK && e->sectors * SECTOR > b->size)
                fprintf(stderr, "amalgam: backend: %s: %s has %llu bytes, the disk %llu: not served\n", b->name,
                        b->path, (unsigned long long)b->size, (unsigned long long)e->sectors * SECTOR);
            else
                found = (int)n; /* names are unique */
        }
        if (found != b->entry)
            printf("%s: %s %s\n", b->name, found < 0 ? "gone:" : "serves", b->path);
        b->entry = found;
        b->memory = found < 0 ? NULL : memory_of(&area->entry[found]);
    }
    fflush(stdout);
}

/* --- disks -------------------------------------------------------------------------------------------- */

static bool transfer(const struct back *b, bool out, u8 *data, u32 length, u64 at)
{
    for (u32 done = 0; done < length;) {
        ssize_t n = out ? pwrite(b->fd, data + done, length - done, (off_t)(at + done))
                        : pread(b->fd, data + done, length - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fprintf(stderr, "amalgam: backend: %s: %s at %llu: %s\n", b->name, out ? "writing" : "reading",
                    (unsigned long long)(at + done), n ? strerror(errno) : "end of file");
            return false;
        }
        done += (u32)n;
    }
    return true;
}

static bool serve_request(const struct back *b, struct backend_block *r)
{
    u32 operation = r->operation, length = r->length;
    u64 at = r->sector * SECTOR;

    if (operation == BACKEND_FLUSH)
        return !fdatasync(b->fd);
    if (operation > BACKEND_WRITE || length > BACKEND_DATA || r->sector > b->size / SECTOR || length > b->size - at)
        return false;
    return transfer(b, operation == BACKEND_WRITE, r->data, length, at);
}

static void serve_block(const struct back *b)
{
    struct backend_block *r = b->memory;
    u32 asked = load(&r->asked);

    if (asked == load(&r->done))
        return;
    r->status = !serve_request(b, r);
    store(&r->done, asked);
    ring(b->entry);
}

/* --- networks ----------------------------------------------------------------------------------------- */

static void net_to_tap(const struct back *b)
{
    struct backend_ring *ring = &((struct backend_net *)b->memory)->to_linux;
    u32 tail = ring->tail, head = load(&ring->head);

    for (; tail != head && head - tail <= BACKEND_FRAMES; tail++) {
        const struct backend_frame *f = &ring->frame[tail % BACKEND_FRAMES];
        u32 length = f->length;
        if (length <= BACKEND_FRAME && write(b->fd, f->byte, length) < 0 && errno != EAGAIN && errno != EIO)
            fprintf(stderr, "amalgam: backend: %s: %s\n", b->path, strerror(errno));
    }
    store(&ring->tail, head);
}

static void tap_to_net(const struct back *b)
{
    struct backend_ring *to = &((struct backend_net *)b->memory)->to_guests;
    u32 head = to->head, first = head;

    while (head - load(&to->tail) < BACKEND_FRAMES) {
        struct backend_frame *f = &to->frame[head % BACKEND_FRAMES];
        ssize_t n = read(b->fd, f->byte, BACKEND_FRAME);
        if (n <= 0)
            break;
        f->length = (u32)n;
        store(&to->head, ++head);
    }
    if (head != first)
        ring(b->entry);
}

static bool has_room(const struct back *b)
{
    const struct backend_ring *to = &((struct backend_net *)b->memory)->to_guests;
    return to->head - load(&to->tail) < BACKEND_FRAMES;
}

/* --- the loop ----------------------------------------------------------------------------------------- */

static void look(u32 map)
{
    for (unsigned i = 0; i < n_backs; i++) {
        const struct back *b = &backs[i];
        if (b->entry < 0 || !(map >> b->entry & 1))
            continue;
        if (b->type == BACKEND_BLOCK)
            serve_block(b);
        else
            net_to_tap(b);
    }
}

static int loop(void)
{
    u32 generation = area->generation - 1;

    while (!ended) {
        struct pollfd fds[1 + BACKEND_ENTRIES] = { { .fd = device, .events = POLLIN } };
        u32 bells, now = load(&area->generation), map = __atomic_exchange_n(&area->to_linux, 0, __ATOMIC_SEQ_CST);

        if (now != generation) {
            connect_all();
            map = ~0u;
            generation = now;
        }
        look(map);
        bool full = false; /* a ring without room is looked at again soon: nobody rings when it gets some */
        for (unsigned i = 0; i < n_backs; i++) {
            bool net = backs[i].type == BACKEND_NET && backs[i].entry >= 0;
            fds[1 + i] = (struct pollfd){ .fd = net && has_room(&backs[i]) ? backs[i].fd : -1, .events = POLLIN };
            full |= net && fds[1 + i].fd < 0;
        }
        if (poll(fds, 1 + n_backs, full ? 1 : -1) < 0 && errno != EINTR)
            return fail("", "poll: %s", strerror(errno));
        if ((fds[0].revents & POLLIN) && read(device, &bells, sizeof(bells)) < 0 && errno != EAGAIN)
            return fail("", "%s: %s", DEVICE, strerror(errno));
        for (unsigned i = 0; i < n_backs; i++)
            if (fds[1 + i].revents & POLLIN)
                tap_to_net(&backs[i]);
    }
    return 0;
}

static int open_area(void)
{
    struct backend_area *head;
    size_t size;

    device = open(DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0)
        return fail("", "%s: %s; is the module loaded?", DEVICE, strerror(errno));
    head = mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0);
    if (head == MAP_FAILED)
        return fail("", "%s: %s; `amalgam load` first", DEVICE, strerror(errno));
    size = head->magic == BACKEND_MAGIC ? head->size : 0;
    if (size && head->version != BACKEND_VERSION)
        return fail("", "the kernel's back ends are of version %u, this command's of %u", head->version,
                    BACKEND_VERSION);
    munmap(head, 4096);
    if (!size)
        return fail("", "no system with back ends was created yet");
    area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    return area == MAP_FAILED ? fail("", "%s: %s", DEVICE, strerror(errno)) : 0;
}

static int list(void)
{
    static const char *const types[] = { "-", "block", "net", "tunnel" };

    for (u32 i = 0; i < area->n_entries && i < BACKEND_ENTRIES; i++) {
        const struct backend_entry *e = &area->entry[i];
        printf("%-15.16s %-6s at %#x, %u bytes", e->name, e->type <= BACKEND_TUNNEL ? types[e->type] : "?", e->offset,
               e->size);
        if (e->type == BACKEND_BLOCK)
            printf(", %llu sectors%s", (unsigned long long)e->sectors,
                   e->flags & BACKEND_READONLY ? ", read only" : "");
        putchar('\n');
    }
    return 0;
}

int cmd_backend(int argc, char **argv)
{
    struct sigaction act = { .sa_handler = on_signal };
    bool only_list = argc == 2 && !strcmp(argv[1], "--list");

    for (int i = 1; i < argc && !only_list; i += 2) {
        bool block = !strcmp(argv[i], "--block");
        if ((!block && strcmp(argv[i], "--net")) || i + 1 == argc)
            return usage("backend");
        if (add(block ? BACKEND_BLOCK : BACKEND_NET, argv[i + 1]))
            return 1;
    }
    if (!only_list && !n_backs)
        return usage("backend");
    if (open_area())
        return 1;
    if (only_list)
        return list();
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    return loop();
}
