/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - a program of Linux at the host's end of a tunnel, through which numbered messages go while programs,
 * guests and systems die (guests/include/numbers.h).
 *   numbers NAME SIDE     NAME: of the tunnel; SIDE: its half
 * SIGUSR1 orders the guest at the other end to reset, SIGUSR2 to die by a triple fault. It goes on in the next system
 * that has the tunnel. A line every 200 ms says how far it is; one with WRONG says what must not be.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "types.h"
#include "backend.h"
#include "numbers.h"

#define DEVICE "/dev/amalgam-split"

static volatile sig_atomic_t order, ended;
static struct backend_area *area;
static int device;
static u32 generation;
static int entry = -1; /* -1: no system has the tunnel */

static void on_signal(int number)
{
    if (number == SIGTERM)
        ended = 1;
    else
        order = number == SIGUSR1 ? 'r' : 'k';
}

static u64 now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static u32 load(const u32 *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static void let_go(void)
{
    u32 held = generation;
    if (entry >= 0)
        __atomic_compare_exchange_n(&area->entry[entry].served, &held, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    entry = -1;
}

static int find(const char *name)
{
    for (u32 n = 0; n < load(&area->n_entries) && n < BACKEND_ENTRIES; n++)
        if (area->entry[n].type == BACKEND_TUNNEL && !strncmp(area->entry[n].name, name, BACKEND_NAME))
            return (int)n;
    return -1;
}

/* Follow the area to its present generation. Returns whether the tunnel is another one. */
static bool follow(const char *name)
{
    bool changed = false;
    for (u32 now; (now = load(&area->generation)) != generation; changed = true) {
        let_go();
        generation = now;
        entry = find(name);
        if (entry >= 0)
            __atomic_store_n(&area->entry[entry].served, generation, __ATOMIC_SEQ_CST);
    }
    return changed;
}

static void ring(void)
{
    __atomic_fetch_or(&area->to_kernel, 1u << entry, __ATOMIC_SEQ_CST);
    if (write(device, "", 1) < 0 && errno != ENXIO)
        perror("numbers: ring");
}

static bool work(struct numbers *n, u64 *sent)
{
    __atomic_fetch_and(&area->to_linux, ~(1u << entry), __ATOMIC_SEQ_CST);
    bool told = numbers_take(n);
    if (numbers_send(n, now_ms() - *sent > 200)) {
        *sent = now_ms();
        told = true;
    }
    if (order)
        numbers_order(n, (char)order);
    order = 0;
    if (told)
        ring();
    if (n->wrong)
        printf("numbers: WRONG: %s (life %u number %u of life %u)\n", n->wrong, n->life, n->last, n->from);
    return !n->wrong;
}

static int serve(const char *name, unsigned side)
{
    struct numbers n = { 0 };
    u64 sent = 0, said = 0;
    while (!ended) {
        struct pollfd fd = { .fd = device, .events = POLLIN };
        u32 bells;
        if (poll(&fd, 1, 4) > 0 && read(device, &bells, sizeof(bells)) < 0 && errno != EAGAIN)
            perror("numbers: read");
        if (follow(name) && entry >= 0)
            numbers_begin(&n, (u8 *)area + area->entry[entry].offset, side);
        if (entry < 0)
            continue;
        if (!work(&n, &sent))
            return 1;
        if (now_ms() - said > 200) {
            printf("numbers: life %u sent %u dropped %u; taken %u missing %u, last %u of life %u\n", n.life, n.number,
                   n.dropped, n.taken, n.missing, n.last, n.from);
            fflush(stdout);
            said = now_ms();
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct sigaction act = { .sa_handler = on_signal };
    if (argc != 3)
        return 2;
    device = open(DEVICE, O_RDWR | O_NONBLOCK);
    struct backend_area *head = device < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0);
    if (head == MAP_FAILED || head->magic != BACKEND_MAGIC || head->version != BACKEND_VERSION) {
        fprintf(stderr, "numbers: %s has no area\n", DEVICE);
        return 1;
    }
    area = mmap(NULL, head->size, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGUSR1, &act, NULL);
    sigaction(SIGUSR2, &act, NULL);
    int status = area == MAP_FAILED ? 1 : serve(argv[1], (unsigned)atoi(argv[2]));
    if (area != MAP_FAILED)
        let_go();
    return status;
}
