/* SPDX-License-Identifier: MIT */
/*
 * transfers.c - long transfers by the DMA engine whose processes do not behave: each page of the data is the same, but
 * for the writer's next life, so that a reader can check that what it gets is of one life. The end of a writer is an
 * error, after which the reader reads again.
 *
 * transfers write|read PEER ROUNDS [MICROSECONDS]: write to, or read from, that cluster; with a time the program ends
 * by a fault after one to 64 times that time, and up to 4 ms more if it is in no transfer then. The factor is drawn:
 * however an emulator shares its time among harts, some lives are too short for a transfer and some are not. The fault
 * is at address 8 in the middle of a transfer, else at 0. transfers late PEER ROUNDS: read, but not for the first 20
 * ms. transfers unmap PEER: write, and meanwhile unmap the data's pages and take all memory that there is.
 */
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PAGE    4096u
#define PAGES   64u
#define SIZE    (PAGES * PAGE)
#define MOST    512u
#define LENGTHS 6 /* of lives, each twice the one before */
#define TRIES   16
#define TRY_US  250

static unsigned char area[SIZE] __attribute__((aligned(4096)));
static uint64_t after_us;
static unsigned told, cut; /* how often of a writer's end, and how often when a part of its data had come */
static volatile bool writing, reading;
static int *volatile nowhere;
static unsigned char *taken[MOST];

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf("%s: error %d\n", what, (int)-result);
        exit(1);
    }
    return result;
}

static unsigned char byte_of(unsigned i) { return (unsigned char)(i * 7 + (i >> 8)); }

static void sleep_us(uint64_t us) { amalgam_sleep_until(amalgam_clock() + us * 1000); }

static bool has_come(const volatile unsigned char *data) { return data[1] | data[2]; } /* both are 0 in no life */

static bool in_the_middle(void) { return writing || (reading && has_come(area)); }

/* This thread has the core only when the other one waits, which is at the beginning of a transfer. Some lives end then,
 * some when data have come, and some because none have come for long. */
static void *die(void *unused)
{
    uint32_t drawn[4];
    (void)unused;
    must(getentropy(drawn, sizeof(drawn)), "getentropy");
    uint64_t least = after_us << drawn[0] % LENGTHS;
    sleep_us(least + drawn[1] % least);
    unsigned tries = drawn[2] % TRIES;
    do
        sleep_us(drawn[3] % TRY_US);
    while (!in_the_middle() && tries--);
    nowhere[in_the_middle() ? 2 : 0] = 1;
    return NULL;
}

static unsigned take_all(void)
{
    unsigned n = 0;
    int64_t page;
    while (n < MOST && (page = amalgam_map(NULL, PAGE, AMALGAM_MAP_WRITE)) > 0) {
        taken[n] = (unsigned char *)(uintptr_t)page;
        memset(taken[n++], 0xff, PAGE);
    }
    return n;
}

static void *unmap(void *data)
{
    sleep_us(5000);
    must(amalgam_unmap(data, SIZE), "unmap");
    return (void *)(uintptr_t)take_all();
}

static void fill(unsigned char *data)
{
    unsigned char life = (unsigned char)(amalgam_clock() / 10000);
    for (unsigned i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(life + byte_of(i % PAGE));
}

static void write_and_unmap(unsigned out)
{
    pthread_t thread;
    void *before;
    unsigned char *data = (unsigned char *)(uintptr_t)must(amalgam_map(NULL, SIZE, AMALGAM_MAP_WRITE), "map");
    fill(data);
    pthread_create(&thread, NULL, unmap, data);
    must(amalgam_portal_write(out, data, SIZE), "portal_write");
    pthread_join(thread, &before);
    for (unsigned i = 0; i < (uintptr_t)before; i++)
        must(amalgam_unmap(taken[i], PAGE), "unmap");
    unsigned back = take_all() - (unsigned)(uintptr_t)before;
    printf("unmap: %s\n", back == PAGES || back == PAGES - 1 ? "all pages came back" : "PAGES ARE MISSING");
}

/* Returns the result of one read. */
static int64_t read_once(unsigned in, unsigned peer, unsigned char *data)
{
    if (data == area)
        memset(area, 0, sizeof(area));
    must(amalgam_portal_allow(in, peer, 0), "portal_allow");
    reading = true;
    int64_t result = amalgam_portal_read(in, data, SIZE);
    reading = false;
    return result;
}

static void read_and_check(unsigned in, unsigned peer, unsigned char *data)
{
    int64_t result;
    for (; (result = read_once(in, peer, data)) == -AMALGAM_EIO; told++)
        cut += data == area && has_come(area);
    must(result, "portal_read");
    for (unsigned i = 0; i < SIZE; i++)
        if (data[i] != (unsigned char)(data[0] + byte_of(i % PAGE))) {
            printf("byte %u is WRONG\n", i);
            exit(1);
        }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "write";
    unsigned peer = argc > 2 ? (unsigned)atoi(argv[2]) : 1, rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    unsigned node = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE), "cluster_info");
    int reads = !strcmp(what, "read") || !strcmp(what, "late");
    unsigned id = (unsigned)must(reads ? amalgam_portal_create(node, 0) : amalgam_portal_open(node, peer, 0), "portal");
    pthread_t thread;
    after_us = argc > 4 ? (uint64_t)atoi(argv[4]) : 0;
    if (after_us)
        pthread_create(&thread, NULL, die, NULL);
    if (!strcmp(what, "late"))
        sleep_us(20000);
    if (!strcmp(what, "unmap")) {
        write_and_unmap(id);
        return 0;
    }
    fill(area);
    unsigned char *to = area;
    if (!strcmp(what, "late")) /* into pages that were never accessed */
        to = (unsigned char *)(uintptr_t)must(amalgam_map(NULL, SIZE, AMALGAM_MAP_LAZY), "map");
    for (unsigned i = 0; i < rounds; i++) {
        if (reads) {
            read_and_check(id, peer, to);
            continue;
        }
        writing = true;
        must(amalgam_portal_write(id, area, SIZE), "portal_write");
        writing = false;
    }
    printf("%s: %u rounds were right, the end of a writer was told %u times, %u of them in its data\n", what, rounds,
           told, cut);
    return 0;
}
