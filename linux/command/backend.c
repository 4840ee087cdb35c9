/* SPDX-License-Identifier: MIT */
/*
 * backend.c - `amalgam backend`: serves guests' disks and networks from files and taps of this Linux
 * (kernel/api/backend.h).
 *
 * One loop in one process waits until the kernel rings or a tap has a frame, then calls backend_serve.c for the entries
 * that backend_area.c has found.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "backend_area.h"

#define DEVICE "/dev/amalgam-split"

struct back backs[BACKEND_ENTRIES];
unsigned n_backs;
struct backend_area *area;
static int device = -1;
static volatile sig_atomic_t ended;

static void on_signal(int number) { ended = 1; }

/* Add the back end `text`, NAME=PATH, and open its file or tap. */
static int add_back(u32 type, char *text)
{
    char *equals = strchr(text, '=');
    struct back *b = &backs[n_backs];

    if (!equals || equals == text || !equals[1] || equals - text >= BACKEND_NAME)
        return fail("amalgam backend --list shows the names of a system",
                    type == BACKEND_BLOCK ? "--block '%s' is not NAME=FILE, with a NAME of at most %d characters"
                                          : "--net '%s' is not NAME=TAP, with a NAME of at most %d characters",
                    text, BACKEND_NAME - 1);
    for (unsigned i = 0; i < n_backs; i++)
        if (!strncmp(backs[i].name, text, (size_t)(equals - text)) && !backs[i].name[equals - text])
            return fail("name each disk and each network once", "%s is named twice", backs[i].name);
    if (n_backs == BACKEND_ENTRIES)
        return fail("serve the others by a second amalgam backend", "'%s' is one too many: a command serves at most %d",
                    text, BACKEND_ENTRIES);
    *equals = '\0';
    *b = (struct back){ .type = type, .name = text, .path = equals + 1, .fd = -1, .entry = -1 };
    n_backs++;
    return back_open(b);
}

static void ring(int entry)
{
    u32 one = 1;

    __atomic_fetch_or(&area->to_kernel, 1u << entry, __ATOMIC_SEQ_CST);
    if (write(device, &one, sizeof(one)) < 0 && errno != ENXIO)
        fprintf(stderr, "amalgam: backend: the kernel cannot be rung: %s\n", strerror(errno));
}

/* --- the loop ----------------------------------------------------------------------------------------- */

/* Serve the entries whose bits are set in `map`. */
static void serve(u32 map)
{
    for (unsigned i = 0; i < n_backs; i++) {
        const struct back *b = &backs[i];
        if (b->entry < 0 || !(map >> b->entry & 1))
            continue;
        if (b->type == BACKEND_NET)
            net_to_tap(b);
        else if (serve_block(b))
            ring(b->entry);
    }
}

/* Clear the rings of the entries that this process serves, and return them. Others may serve the others. */
static u32 take_rings(void)
{
    u32 ours = 0;

    for (unsigned i = 0; i < n_backs; i++)
        ours |= backs[i].entry < 0 ? 0 : 1u << backs[i].entry;
    return __atomic_fetch_and(&area->to_linux, ~ours, __ATOMIC_SEQ_CST) & ours;
}

/* Wait for work: poll's result. */
static int wait_for_work(struct pollfd *fds)
{
    bool full = false; /* a ring has no room: poll again in 1 ms, because the kernel does not ring for room */

    for (unsigned i = 0; i < n_backs; i++) {
        bool net = backs[i].type == BACKEND_NET && backs[i].entry >= 0;
        fds[1 + i] = (struct pollfd){ .fd = net && has_room(&backs[i]) ? backs[i].fd : -1, .events = POLLIN };
        full |= net && fds[1 + i].fd < 0;
    }
    return poll(fds, 1 + n_backs, full ? 1 : -1);
}

static int serve_all(void)
{
    u32 generation = area->generation - 1;

    while (!ended) {
        struct pollfd fds[1 + BACKEND_ENTRIES] = { { .fd = device, .events = POLLIN } };
        u32 bells;
        bool changed = area_follow(&generation); /* before the rings are taken: an entry has another number now */

        serve(take_rings() | (changed ? ~0u : 0));
        if (wait_for_work(fds) < 0 && errno != EINTR)
            return fail("", "poll: %s", strerror(errno));
        if ((fds[0].revents & POLLIN) && read(device, &bells, sizeof(bells)) < 0 && errno != EAGAIN)
            return fail("", "%s: %s", DEVICE, strerror(errno));
        for (unsigned i = 0; i < n_backs; i++)
            if ((fds[1 + i].revents & POLLIN) && tap_to_net(&backs[i]))
                ring(backs[i].entry);
    }
    return 0;
}

static int loop(void)
{
    int status = serve_all();

    area_let_go();
    return status;
}

static int open_area(void)
{
    struct backend_area *head;
    size_t size;

    device = open(DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0)
        return fail(errno == ENOENT ? "amalgam load (it loads the module, too)" : "run it as root", "%s: %s", DEVICE,
                    strerror(errno));
    head = mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0);
    if (head == MAP_FAILED)
        return fail(errno == ENXIO ? "amalgam load" : "", "%s: %s", DEVICE, strerror(errno));
    size = head->magic == BACKEND_MAGIC ? head->size : 0;
    if (size && head->version != BACKEND_VERSION)
        return fail("install the kernel and the command of one build: make -C linux install",
                    "the kernel's back ends have version %u, this command's %u", head->version, BACKEND_VERSION);
    munmap(head, 4096);
    if (!size)
        return fail("amalgam domain create FILE", "no system with back ends was created yet");
    area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    return area == MAP_FAILED ? fail("", "%s: %s", DEVICE, strerror(errno)) : 0;
}

/* Returns the byte of the device whose lock stands for a name. */
static off_t lock_offset(const char *name)
{
    u32 sum = 0x811c9dc5; /* FNV-1a */
    while (*name)
        sum = (sum ^ (u8)*name++) * 0x1000193;
    return sum & 0x7fffffff;
}

/* Fail if another process serves one of the names: two that take requests from one ring would each lose some. The
 * locks end with the process, even if it is killed. */
static int lock_names(void)
{
    for (unsigned i = 0; i < n_backs; i++) {
        struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock_offset(backs[i].name), .l_len = 1
        };
        if (fcntl(device, F_OFD_SETLK, &lock))
            return errno == EAGAIN || errno == EACCES
                       ? fail("end it first", "%s: another amalgam backend serves it", backs[i].name)
                       : fail("", "%s: %s", DEVICE, strerror(errno));
    }
    return 0;
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

int cmd_backend(int n, char **word)
{
    static const struct option table[] = { { "block", required_argument, NULL, 'b' },
                                           { "net", required_argument, NULL, 'n' },
                                           { "list", no_argument, NULL, 'l' },
                                           { 0 } };
    struct sigaction act = { .sa_handler = on_signal };
    bool only_list = false;

    for (int option; (option = next_option("backend", n, word, ":", table)) != -1;) {
        if (option == '?')
            return USAGE;
        if (option == 'l')
            only_list = true;
        else if (add_back(option == 'b' ? BACKEND_BLOCK : BACKEND_NET, optarg))
            return FAILED;
    }
    if (optind <= n || only_list == (n_backs > 0))
        return usage("backend: --block NAME=FILE or --net NAME=TAP, any number of them, or --list alone");
    if (open_area())
        return 1;
    if (only_list)
        return list();
    if (lock_names())
        return 1;
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    return loop();
}
