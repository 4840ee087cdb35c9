/* SPDX-License-Identifier: MIT */
/*
 * names.c - a program of libnanvix that runs on each of several clusters and checks nanvix_name_*() against the name
 * servers of its system (docs/servers.md).
 *   names alone      without servers: every function says so
 *   names [FOR]      link "cluster<N>", wait until all clusters have done so, and check; then keep the names and look
 *                    all of them up for FOR milliseconds
 */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/portal.h>
#include <nanvix/runtime/stdikc.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>
#include <nanvix/sys/signal.h>

#include "../../../user/programs/nanvix/check.h"

#define MOST      PROCESSOR_NOC_NODES_NUM
#define MS        1000000ull
#define WAIT_NS   (20000 * MS)
#define BEAT_NS   (500 * MS)
#define FORGOTTEN 1100 /* ms, after which the library asks again */
#define RINGS_MS  150  /* after which what a question has left armed has come */

static int node, clusters;

static uint64_t now(void)
{
    uint64_t ns;
    MUST(kclock(&ns) == 0);
    return ns;
}

static void sleep_ms(uint64_t ms)
{
    static const uint32_t word;
    for (uint64_t until = now() + ms * MS; now() < until;)
        amalgam_wait(&word, 0, until);
}

/* Repeat a call until the servers can answer it. Returns its result. */
#define ANSWER(call)                                                                                                   \
    ({                                                                                                                 \
        int answer_;                                                                                                   \
        uint64_t until_ = now() + WAIT_NS;                                                                             \
        while ((answer_ = (call)) == -EAGAIN && now() < until_)                                                        \
            sleep_ms(20);                                                                                              \
        answer_;                                                                                                       \
    })

/* Repeat a call until the name is there. */
#define FOUND(call)                                                                                                    \
    ({                                                                                                                 \
        int found_;                                                                                                    \
        uint64_t end_ = now() + WAIT_NS;                                                                               \
        while ((found_ = ANSWER(call)) == -ENOENT && now() < end_)                                                     \
            sleep_ms(20);                                                                                              \
        found_;                                                                                                        \
    })

static const char *name_of(int of)
{
    static char name[2][24];
    static int next;
    char *made = name[next++ % 2];
    usprintf(made, "cluster%d", of);
    return made;
}

static void wrong_arguments(void)
{
    char large[NANVIX_PROC_NAME_MAX + 1];
    umemset(large, 'x', NANVIX_PROC_NAME_MAX);
    large[NANVIX_PROC_NAME_MAX] = 0;
    MUST(nanvix_name_link(node, NULL) == -EINVAL && nanvix_name_link(node, "") == -EINVAL);
    MUST(nanvix_name_link(node, large) == -ENAMETOOLONG && nanvix_name_lookup(large) == -ENAMETOOLONG);
    MUST(nanvix_name_link(-1, "x") == -EINVAL && nanvix_name_link(1000000, "x") == -EINVAL);
    const int nodes = (int)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES); /* fewer than PROCESSOR_NOC_NODES_NUM */
    MUST(nanvix_name_link(node ? 0 : 1, "x") == -EPERM && nanvix_name_link(nodes, "x") == -EINVAL);
    MUST(nanvix_name_lookup(NULL) == -EINVAL && nanvix_name_lookup("") == -EINVAL &&
         nanvix_name_unlink(NULL) == -EINVAL);
}

static void alone(void)
{
    MUST(nanvix_name_link(node, "x") == -EAGAIN && nanvix_name_lookup("x") == -EAGAIN &&
         nanvix_name_unlink("x") == -ENOENT);
    uprintf("names: nobody answers");
}

static void meet(void)
{
    MUST(ANSWER(nanvix_name_link(node, name_of(node))) == 0);
    for (int of = 0; of < clusters; of++)
        MUST(FOUND(nanvix_name_lookup(name_of(of))) == of);
}

static void check_calls(void)
{
    MUST(ANSWER(nanvix_name_lookup("missing")) == -ENOENT && nanvix_name_unlink("missing") == -ENOENT);
    MUST(ANSWER(nanvix_name_link(node, name_of(node ? 0 : 1))) == -EEXIST);
    MUST(nanvix_name_unlink(name_of(node ? 0 : 1)) == -ENOENT);
    MUST(nanvix_name_link(node, name_of(node)) == 0 && nanvix_name_unlink(name_of(node)) == 0);
    MUST(ANSWER(nanvix_name_heartbeat()) == 0);
    MUST(__nanvix_name_setup() == 0);
}

static int rung;

static void ring(void *unused)
{
    UNUSED(unused);
    __atomic_fetch_add(&rung, 1, __ATOMIC_RELAXED);
}

/* A question takes the thread's alarm and gives it back; what it leaves armed for the next one is not the program's.
 * How long a question takes is the host's matter. */
static void check_alarms(void)
{
    struct ksigaction action = { ring };
    MUST(ksigctl(SIGALRM, &action) == 0 && ANSWER(nanvix_name_heartbeat()) == 0 && kalarm(0) == 0);
    MUST(kalarm(100) == 0 && ANSWER(nanvix_name_heartbeat()) == 0);
    int left = kalarm(0);
    MUST(left > 1 && left <= 100);
    uint64_t then = now();
    MUST(kalarm(1) == 0 && ANSWER(nanvix_name_heartbeat()) == 0);
    while (!__atomic_load_n(&rung, __ATOMIC_RELAXED))
        sleep_ms(20);
    MUST(now() - then >= 999 * MS && ANSWER(nanvix_name_heartbeat()) == 0);
    sleep_ms(RINGS_MS);
    MUST(rung == 1 && kalarm(0) == 0);
}

static const char *named(const char *what, int of)
{
    static char name[24];
    usprintf(name, "%s%d", what, of);
    return name;
}

/* Each cluster sends the next one a message and a page, by names. */
static void talk(void)
{
    static unsigned char page[HAL_PORTAL_DATA_SIZE];
    int next = (node + 1) % clusters, before = (node + clusters - 1) % clusters, said[2] = { node, 0 };
    int in = ANSWER(nanvix_mailbox_create2(named("mail", node), 13));
    int pages_in = ANSWER(nanvix_portal_create2(named("page", node), 14));
    int out = FOUND(nanvix_mailbox_open(named("mail", next), 13));
    int pages_out = FOUND(nanvix_portal_open(named("page", next), 14));
    MUST(in >= 0 && pages_in >= 0 && out >= 0 && pages_out >= 0);
    MUST(nanvix_mailbox_create2("x", 12) == -EINVAL && nanvix_mailbox_read(-1, said, 8) == -EINVAL);
    MUST(nanvix_mailbox_read(out, said, 8) == -ENOTSUP && nanvix_mailbox_write(in, said, 8) == -ENOTSUP);
    MUST(nanvix_mailbox_close(in) == -EPERM && nanvix_mailbox_unlink(out) == -EPERM);
    MUST(nanvix_portal_read(pages_out, page, 8) == -ENOTSUP && nanvix_portal_allow(pages_out, next) == -ENOTSUP);
    said[1] = nanvix_portal_get_port(pages_out);
    umemset(page, node + 1, sizeof(page));
    MUST(nanvix_mailbox_write(out, said, sizeof(said)) == 0);
    MUST(nanvix_portal_write(pages_out, page, sizeof(page)) == (int)sizeof(page));
    MUST(nanvix_mailbox_read(in, said, sizeof(said)) == 0 && said[0] == before);
    MUST(nanvix_portal_allow2(pages_in, before, said[1]) == 0);
    MUST(nanvix_portal_read(pages_in, page, sizeof(page)) == (int)sizeof(page));
    MUST(page[0] == before + 1 && page[sizeof(page) - 1] == before + 1);
    MUST(nanvix_mailbox_close(out) == 0 && nanvix_mailbox_close(out) == -EINVAL && nanvix_portal_close(pages_out) == 0);
    MUST(nanvix_mailbox_unlink(in) == 0 && nanvix_portal_unlink(pages_in) == 0);
    MUST((in = ANSWER(nanvix_mailbox_create(named("own", node)))) >= 0 && stdinbox_get() >= 0);
    MUST(nanvix_mailbox_unlink(in) == 0 && __stdmailbox_cleanup() == 0);
}

/* Look all names up as long as the time lasts, whatever happens to a server. An error says "ask again", and nothing
 * else. */
static void keep(uint64_t ms)
{
    unsigned long asked = 0, again = 0;
    uint64_t beat = now();
    for (uint64_t until = now() + ms * MS; now() < until; asked++) {
        if (now() >= beat) {
            int result = nanvix_name_heartbeat();
            MUST(result == 0 || result == -EAGAIN);
            beat = now() + BEAT_NS;
        }
        int of = (int)(asked % (unsigned long)clusters), found = nanvix_name_lookup(name_of(of));
        MUST(found == of || found == -EAGAIN);
        again += found == -EAGAIN;
        sleep_ms(50);
    }
    uprintf("names: asked %d times, %d of them again", (int)asked, (int)again);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    node = knode_get_num();
    wrong_arguments();
    if (argc > 1 && !ustrcmp(argv[1], "alone")) {
        alone();
        return;
    }
    clusters = argc > 2 ? argv[2][0] - '0' : MOST;
    meet();
    check_calls();
    check_alarms();
    talk();
    uint64_t ms = 0;
    for (const char *p = argc > 1 ? argv[1] : "0"; *p; p++)
        ms = ms * 10 + (uint64_t)(*p - '0');
    keep(ms);
    uprintf("names: right");
}
