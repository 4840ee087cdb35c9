/* SPDX-License-Identifier: MIT */
/*
 * served.c - clients of the servers of the I/O cluster (docs/servers.md), whose answers have to be exact. The file
 * /spawned is what the process server starts.
 *   served rounds N CLUSTERS  ask the name, memory, file and process server N times; the clusters from 1 to CLUSTERS
 *                             run it, and find each other. Then say how many requests the process server has refused
 *   served kept               ask the name and the process server until the last life of:
 *   served dies LIVES         LIVES lives ask both, until another thread faults: in the middle of one call in each
 *                             life, and at another place of it each time. The one behind them finds that nothing of
 *                             theirs is left, and says so
 */
#include <stdio.h> /* nanvix/runtime/fs/vfs.h has SEEK_SET of its own */

#include <amalgam/clusters.h>
#include <nanvix/runtime/fs/vfs.h>
#include <nanvix/runtime/pm/process.h>

#include "served.h"
#include "spawned_file.h"

#define KEPT  3
#define NAP   (2 * MS)
#define PAUSE (1000 * MS) /* before a program is uploaded again */
#define SLOTS 2           /* the cluster's share */
#define OVER  "served-over"

/* The calls in whose middle a life ends; NONE is between two of them. */
enum stage { NONE, LINK, LOOKUP, BEAT, UNLINK, START, OUTPUT, WAIT, KILL, STAGES };
static const char *const stage_names[STAGES] = { "none",  "link",   "lookup", "beat", "unlink",
                                                 "start", "output", "wait",   "kill" };
static uint32_t stage;

/* Make a call that another thread may end the process in. */
#define DURING(its_stage, call)                                                                                        \
    ({                                                                                                                 \
        __atomic_store_n(&stage, (its_stage), __ATOMIC_RELEASE);                                                       \
        amalgam_wake(&stage, 1);                                                                                       \
        int result_ = (call);                                                                                          \
        __atomic_store_n(&stage, NONE, __ATOMIC_RELEASE);                                                              \
        result_;                                                                                                       \
    })

/* --- names -------------------------------------------------------------------------------------------------------- */

static void find_all(int clusters)
{
    for (int node = 1; node <= clusters; node++)
        MUST(nanvix_name_lookup(name_of("by", node)) == node);
    MUST(nanvix_name_heartbeat() == 0);
    MUST(nanvix_name_link(me, name_of("round", me)) == 0);
    MUST(nanvix_name_lookup(name_of("round", me)) == me);
    MUST(nanvix_name_unlink(name_of("round", me)) == 0);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

static void use_pages(unsigned round)
{
    static rpage_t pages[KEPT];
    static unsigned data[WORDS], written[KEPT];
    unsigned k = round % KEPT;
    if (pages[k] != RMEM_NULL) {
        MUST(nanvix_rmem_read(pages[k], data) == RMEM_BLOCK_SIZE);
        for (unsigned i = 0; i < WORDS; i++)
            MUST(data[i] == word_of(written[k], i));
        MUST(nanvix_rmem_free(pages[k]) == 0);
    }
    while ((pages[k] = nanvix_rmem_alloc()) == RMEM_NULL)
        MUST(round <= KEPT); /* the server is not there yet */
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = word_of(round, i);
    written[k] = round;
    MUST(nanvix_rmem_write(pages[k], data) == RMEM_BLOCK_SIZE);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void use_files(unsigned round)
{
    static unsigned data[WORDS], back[WORDS];
    const char *name = name_of("file", me);
    int fd;
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = word_of(round, i);
    while ((fd = nanvix_vfs_open(name, O_RDWR | O_CREAT | O_EXCL, 0644)) == -EAGAIN)
        MUST(round == 1);
    MUST(fd >= 0 && nanvix_vfs_write(fd, data, sizeof(data)) == (ssize_t)sizeof(data));
    MUST(nanvix_vfs_seek(fd, 0, SEEK_SET) == 0 && nanvix_vfs_read(fd, back, sizeof(back)) == (ssize_t)sizeof(back));
    MUST(!umemcmp(data, back, sizeof(back)) && nanvix_vfs_close(fd) == 0 && nanvix_vfs_unlink(name) == 0);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static int start(const char *what, const char *more, bool piped)
{
    const char *const arguments[] = { "/bin/spawned", what, more, NULL };
    const char *const variables[] = { "SAID=hello", NULL };
    return piped ? nanvix_process_start_piped(0, file, size, 1, arguments, variables)
                 : nanvix_process_start(0, file, size, 1, arguments, variables);
}

/* The server is not there yet, or what this cluster has started is on its way out of a slot. */
static int start_soon(const char *what, const char *more, uint64_t pause)
{
    int number;
    for (uint64_t until = now() + LATEST; (number = start(what, more, false)) == -EAGAIN; rest(pause))
        MUST(now() < until);
    MUST(number > 0);
    return number;
}

static int end_of(int number)
{
    int status, error;
    while ((error = nanvix_process_wait(number, &status)) == -EAGAIN)
        rest(NAP);
    MUST(!error);
    return status;
}

static void use_processes(unsigned round)
{
    static char said[] = "00";
    said[0] = (char)('0' + round / 10 % 10);
    said[1] = (char)('0' + round % 10);
    MUST(end_of(start_soon("exit", said, NAP)) == (NANVIX_PROCESS_EXITED << 8 | (int)(round % 100)));
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static void serve_rounds(unsigned rounds, int clusters)
{
    struct nanvix_process_stats s;
    link_own(name_of("by", me));
    for (int node = 1; node <= clusters; node++)
        while (nanvix_name_lookup(name_of("by", node)) != node)
            kthread_yield();
    for (unsigned round = 1; round <= rounds; round++) {
        find_all(clusters);
        use_pages(round);
        use_files(round);
        if (round % 4 == 1)
            use_processes(round);
    }
    MUST(nanvix_process_stats(0, &s) == 0);
    uprintf("served: %d rounds right, %d refused", (int)rounds, (int)s.refused);
    for (;; rest(250 * MS)) /* who is slower finds it */
        MUST(nanvix_name_heartbeat() == 0);
}

/* --- beside a client that dies ------------------------------------------------------------------------------------ */

static void keep(void)
{
    unsigned round = 0;
    link_own(name_of("by", me));
    for (int found = -ENOENT; found < 0; found = nanvix_name_lookup(OVER)) {
        MUST(found == -ENOENT);
        MUST(nanvix_name_lookup(name_of("by", me)) == me && nanvix_name_heartbeat() == 0);
        use_processes(++round);
        rest(PAUSE / 2);
    }
    uprintf("served: %d rounds right beside", (int)round);
}

static enum stage stage_of(int life) { return LINK + (unsigned)(life - 1) % (STAGES - LINK); }

/* Fault in the middle of the call that this life is to end in. One that is over sooner comes again. */
static void *fault(void *life)
{
    uintptr_t n = (uintptr_t)life;
    uint32_t its = stage_of((int)n);
    uint64_t later = n * 2654435761u >> 7 & (its == START ? 0x3fffff : 0xffff); /* ns */
    for (;; later /= 2) {
        for (uint32_t seen; (seen = __atomic_load_n(&stage, __ATOMIC_ACQUIRE)) != its;)
            amalgam_wait(&stage, seen, AMALGAM_NEVER);
        for (uint64_t until = now() + later; __atomic_load_n(&stage, __ATOMIC_ACQUIRE) == its;)
            if (now() >= until) {
                uprintf("served: dies in %s", stage_names[its]);
                __builtin_trap();
            }
    }
}

/* Make each call once. What a life before has may be refused to this one. */
static void ask_each(int life)
{
    static char piece[NANVIX_PROCESS_OUTPUT];
    const char *const name = name_of("life", life);
    const bool piped = stage_of(life) == OUTPUT || life / STAGES % 2;
    int number, status, error = DURING(LINK, nanvix_name_link(me, name));
    MUST(error == 0 || error == -EAGAIN || error == -ENOSPC);
    error = DURING(LOOKUP, nanvix_name_lookup(name_of("by", 2)));
    MUST(error == 2 || error == -ENOENT || error == -EAGAIN);
    MUST((error = DURING(BEAT, nanvix_name_heartbeat())) == 0 || error == -EAGAIN);
    MUST((error = DURING(UNLINK, nanvix_name_unlink(name_of("life", life)))) == 0 || error == -EAGAIN ||
         error == -ENOENT);
    while ((number = DURING(START, start(piped ? "say" : "rest", "word", piped))) == -EAGAIN)
        rest(PAUSE);
    MUST(number > 0);
    while (piped && (error = DURING(OUTPUT, nanvix_process_output(number, piece))) != 0)
        MUST(error > 0 || error == -EAGAIN);
    error = DURING(WAIT, nanvix_process_wait(number, &status));
    MUST(error == -EAGAIN || (piped && !error));
    error = DURING(KILL, nanvix_process_kill(number));
    MUST(error >= 0 || error == -ESRCH);
    while (!piped && nanvix_process_wait(number, &status) == -EAGAIN)
        rest(NAP);
}

/* The names of all lives have ended with their leases, and what they have started when others want the slots. */
static void find_nothing(int lives)
{
    int numbers[SLOTS], found;
    for (int life = 1; life <= lives; life++)
        for (uint64_t until = now() + LATEST; (found = nanvix_name_lookup(name_of("life", life))) != -ENOENT; rest(NAP))
            MUST(found == me && now() < until);
    for (int i = 0; i < SLOTS; i++)
        numbers[i] = start_soon("rest", NULL, PAUSE);
    MUST(start("rest", NULL, false) == -EAGAIN);
    for (int i = 0; i < SLOTS; i++) {
        MUST(nanvix_process_kill(numbers[i]) == 1);
        MUST(end_of(numbers[i]) >> 8 == NANVIX_PROCESS_KILLED);
    }
}

static void die(int lives)
{
    kthread_t tid;
    int life = (int)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE);
    if (life <= lives) {
        MUST(kthread_create(&tid, fault, (void *)(uintptr_t)life) == 0);
        for (;;)
            ask_each(life);
    }
    find_nothing(lives);
    uprintf("served: nothing of %d lives is left", lives);
    link_own(OVER);
    for (;; rest(250 * MS))
        MUST(nanvix_name_heartbeat() == 0);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    me = knode_get_num();
    read_file();
    if (argc == 4)
        serve_rounds((unsigned)number_of(argv[2], 0), number_of(argv[3], 0));
    else if (argc == 3)
        die(number_of(argv[2], 0));
    else
        keep();
}
