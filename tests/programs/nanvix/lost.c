/* SPDX-License-Identifier: MIT */
/*
 * lost.c - a client that dies, and those whose servers die, or are lost with their clusters (docs/servers.md).
 *   lost faults        uses pages of a memory server until another thread of it faults, a little later in each life
 *   lost uses N        uses pages N times, beside that, and naps after each
 *   lost rounds N      does so without naps
 *   lost keeps MS N    uses pages for so long, and asks for names; clusters below N run it. What is lost is said
 *                      once, and what is read is what was written
 */
#include <amalgam/clusters.h>
#include <nanvix/runtime/mm/stub.h>
#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>

#include "../../../user/programs/nanvix/check.h"
#include "../../../user/programs/nanvix/measure.h"

#define KEPT    6
#define WORDS   (RMEM_BLOCK_SIZE / sizeof(unsigned))
#define US      1000ull
#define MS      (1000 * US)
#define LATER   37037ull /* ns that a life is longer than the one before */
#define BEAT    (500 * MS)
#define NAP     (2 * MS)
#define NOTHING "nobody's"

static rpage_t pages[KEPT];
static unsigned written[KEPT], data[WORDS];
static struct {
    unsigned reads, lost, asked, again;
    uint64_t memory, names; /* ns of the longest call */
} counts;

static uint64_t now(void)
{
    uint64_t ns;
    MUST(kclock(&ns) == 0);
    return ns;
}

static uint64_t longer(uint64_t than, uint64_t begin) { return now() - begin > than ? now() - begin : than; }

static unsigned word_of(unsigned round, unsigned i) { return round * 2654435761u + i * 40503u; }

static void lose(unsigned k)
{
    MUST(errno == EIO);
    nanvix_rmem_free(pages[k]); /* it may be there: how much was written is unknown */
    pages[k] = RMEM_NULL;
    counts.lost++;
}

/* Write a page, or read and check it. */
static void use(unsigned k, unsigned round, bool writes)
{
    while (pages[k] == RMEM_NULL) {
        const uint64_t asked = now();
        pages[k] = nanvix_rmem_alloc();
        counts.memory = longer(counts.memory, asked);
        writes = true;
        if (pages[k] == RMEM_NULL)
            amalgam_sleep_until(now() + 50 * MS); /* others have all, or the server is not there */
    }
    const uint64_t begin = now();
    errno = 0;
    if (writes) {
        for (unsigned i = 0; i < WORDS; i++)
            data[i] = word_of(round, i);
        written[k] = round;
        if (nanvix_rmem_write(pages[k], data) != RMEM_BLOCK_SIZE)
            lose(k);
    } else if (nanvix_rmem_read(pages[k], data) != RMEM_BLOCK_SIZE) {
        lose(k);
    } else {
        counts.reads++;
        for (unsigned i = 0; i < WORDS; i++)
            MUST(data[i] == word_of(written[k], i));
    }
    counts.memory = longer(counts.memory, begin);
}

static void use_one(unsigned round)
{
    static unsigned random = 1;
    random = random * 1103515245u + 12345;
    use((random >> 17) % KEPT, round, random >> 16 & 1);
}

static void *fault(void *life)
{
    uint64_t until = now() + (uint64_t)(uintptr_t)life * LATER;
    while (now() < until)
        kthread_yield();
    __builtin_trap();
}

static void faults(void)
{
    kthread_t tid;
    uintptr_t life = (uintptr_t)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE);
    use(0, 1, true);
    MUST(pages[0] != RMEM_NULL);
    uprintf("lost: has a page");
    MUST(kthread_create(&tid, fault, (void *)life) == 0);
    for (unsigned round = 2;; round++)
        use_one(round);
}

static void say_pages(void)
{
    uprintf("lost: %d reads, %d lost, %d us at most", (int)counts.reads, (int)counts.lost, (int)(counts.memory / US));
}

static void uses(unsigned n, bool naps)
{
    for (unsigned round = 1; round <= n; round++) {
        use_one(round);
        if (naps)
            amalgam_sleep_until(now() + NAP);
    }
    say_pages();
}

static const char *name_of(int node)
{
    static char name[] = "lost0";
    name[4] = (char)('0' + node);
    return name;
}

/* Two servers of three say it, whichever one is lost. What is nobody's is asked each time. */
static void ask_names(int clusters)
{
    uint64_t begin = now();
    int found = nanvix_name_lookup(NOTHING);
    counts.names = longer(counts.names, begin);
    MUST(found == -ENOENT || found == -EAGAIN);
    counts.asked++;
    counts.again += found == -EAGAIN;
    for (int node = 0; node < clusters; node++) {
        found = nanvix_name_lookup(name_of(node));
        MUST(found == node || found == -EAGAIN);
        counts.again += found == -EAGAIN;
    }
}

static void keep(uint64_t ms, int clusters)
{
    while (nanvix_name_link(knode_get_num(), name_of(knode_get_num())) == -EAGAIN)
        amalgam_sleep_until(now() + NAP);
    for (int node = 0; node < clusters; node++)
        while (nanvix_name_lookup(name_of(node)) != node)
            amalgam_sleep_until(now() + NAP);
    uint64_t beat = now(), until = beat + ms * MS;
    for (unsigned round = 1; now() < until; round++) {
        if (now() >= beat) {
            int result = nanvix_name_heartbeat();
            MUST(result == 0 || result == -EAGAIN);
            beat = now() + BEAT;
        }
        use_one(round);
        ask_names(clusters);
        amalgam_sleep_until(now() + NAP);
    }
    say_pages();
    uprintf("lost: %d questions, %d again, %d us at most", (int)counts.asked, (int)counts.again,
            (int)(counts.names / US));
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    if (argc == 4)
        keep((uint64_t)number_of(argv[2], 0), number_of(argv[3], 0));
    else if (argc == 3)
        uses((unsigned)number_of(argv[2], 0), !ustrcmp(argv[1], "uses"));
    else
        faults();
}
