/* SPDX-License-Identifier: MIT */
/*
 * processes.c - starts programs by process servers (docs/servers.md). Its program is its file /spawned.
 *   processes check     on each cluster of the list: each call, rightly and wrongly; what programs write
 *   processes refused   the first cluster of the list lets this one start nothing, the second one does
 *   processes gives     gives cluster 1 the first cluster's handle, and lets it become void when that has used it
 *   processes given     gets it: the first cluster of the list lets this one start nothing without it
 *   processes rounds N  N programs, by turns on each cluster, whose server may die: each is told how it has ended, or
 *                       that the server is lost, which is said once for each of its lives
 */
#include <amalgam/process_server.h>
#include <nanvix/runtime/pm/process.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>
#include <string.h>

#include "../../../user/programs/nanvix/check.h"
#include "../../../user/programs/nanvix/measure.h"
#include "spawned_file.h"

static int start(int node, const char *what, const char *more)
{
    const char *const arguments[] = { "/bin/spawned", what, more, NULL };
    const char *const variables[] = { "SAID=hello", NULL };
    return nanvix_process_start(node, file, size, 1, arguments, variables);
}

/* Returns how it has ended, or an error. */
static int end_of(int number)
{
    int status, error;
    while ((error = nanvix_process_wait(number, &status)) == -EAGAIN)
        kthread_yield();
    return error ? error : status;
}

/* What has just ended may be on its way out of its slot, and a server that has just begun may not answer. */
static int started(int node, const char *what, const char *more)
{
    int number;
    while ((number = start(node, what, more)) == -EAGAIN)
        kthread_yield();
    return number;
}

static int listed(int node, int number)
{
    struct nanvix_process p = { 0 };
    for (int at = 0; !nanvix_process_list(node, at, &p); at = p.number)
        if (p.number == number) {
            MUST(p.from == knode_get_num() && p.threads == 1 && !ustrcmp(p.name, "spawned"));
            return p.runs ? 1 : 2;
        }
    return 0;
}

static void check_at(int node)
{
    MUST(end_of(started(node, "exit", "7")) == (NANVIX_PROCESS_EXITED << 8 | 7));
    MUST(end_of(started(node, "say", "one")) == 0);
    MUST(end_of(started(node, "fault", NULL)) == NANVIX_PROCESS_FAULT << 8);
    int first = started(node, "rest", NULL), second = started(node, "rest", NULL);
    MUST(first > 0 && second > 0 && first != second);
    MUST(start(node, "rest", NULL) == -EAGAIN); /* two slots */
    MUST(listed(node, first) == 1 && listed(node, second) == 1);
    MUST(nanvix_process_wait(first, NULL) == -EAGAIN);
    MUST(nanvix_process_kill(first) == 1);
    MUST(end_of(first) == (NANVIX_PROCESS_KILLED << 8 | PROCESSES_KILLED));
    MUST(nanvix_process_wait(first, NULL) == -ESRCH && nanvix_process_kill(first) == -ESRCH);
    MUST(nanvix_process_kill_name("spawned") == 1);
    MUST(end_of(second) == (NANVIX_PROCESS_KILLED << 8 | PROCESSES_KILLED));
    MUST(nanvix_process_kill_name("spawned") == -ESRCH && !listed(node, second));
}

static int start_piped(int node, const char *what, const char *more)
{
    const char *const arguments[] = { "/bin/spawned", what, more, NULL };
    const char *const variables[] = { "SAID=hello", NULL };
    int number;
    while ((number = nanvix_process_start_piped(node, file, size, 1, arguments, variables)) == -EAGAIN)
        kthread_yield();
    return number;
}

/* Read its output into a text of at most n bytes, until that is full or no more will come. */
static size_t read_output(int number, char *to, size_t n)
{
    char piece[NANVIX_PROCESS_OUTPUT];
    size_t done = 0;
    while (done < n) {
        int read = nanvix_process_output(number, piece);
        MUST(read >= 0 || read == -EAGAIN);
        if (!read)
            break;
        for (int i = 0; i < read && done < n; i++)
            to[done++] = piece[i];
    }
    return done;
}

/* What is written comes here, whole and once; a program that floods waits, and keeps nobody from the server. */
static void check_piped(int node)
{
    static const char expected[] = "spawned: one\nspawned: SAID is hello\n", flood[] = "spawned: flood\n";
    static char text[3 * 4096];
    int number = start_piped(node, "say", "one");
    MUST(read_output(number, text, sizeof(text)) == sizeof(expected) - 1);
    MUST(!memcmp(text, expected, sizeof(expected) - 1));
    MUST(end_of(number) == 0 && nanvix_process_output(number, text) == -ESRCH);
    number = start_piped(node, "flood", NULL);
    MUST(end_of(started(node, "exit", "7")) == (NANVIX_PROCESS_EXITED << 8 | 7));
    MUST(read_output(number, text, sizeof(text)) == sizeof(text)); /* more than the pipe holds */
    for (size_t i = 0; i < sizeof(text); i++)
        MUST(text[i] == flood[i % (sizeof(flood) - 1)]);
    MUST(nanvix_process_kill(number) == 1);
    while (read_output(number, text, sizeof(text)) == sizeof(text))
        ;
    MUST(end_of(number) == (NANVIX_PROCESS_KILLED << 8 | PROCESSES_KILLED));
}

static void check_wrong(void)
{
    const char *const none[] = { "none", NULL };
    int node;
    MUST(nanvix_process_start(0, "no program", 10, 1, none, NULL) == -ENOEXEC);
    MUST(nanvix_process_start(31, file, size, 1, none, NULL) == -EINVAL);
    MUST(nanvix_process_start(0, file, size, 200, none, NULL) == -EAGAIN);
    MUST(nanvix_process_cluster(0, &node) == 0 && node == 0);
    MUST(nanvix_process_cluster(32, &node) == -EINVAL);
    MUST(nanvix_process_wait(-1, NULL) == -ESRCH);
}

/* Each time, piped or not, and others are asked after it. */
static void check_refused(void)
{
    int refusing, other;
    MUST(!nanvix_process_cluster(0, &refusing) && !nanvix_process_cluster(1, &other));
    for (int i = 0; i < 3; i++) {
        MUST(started(refusing, "exit", "7") == -EPERM && start_piped(refusing, "exit", "7") == -EPERM);
        MUST(end_of(started(other, "exit", "7")) == (NANVIX_PROCESS_EXITED << 8 | 7));
    }
}

#define HANDLES 6 /* port */

static void write_to(int node, const struct nanvix_process_handle *h)
{
    int out;
    MUST((out = kmailbox_open(node, HANDLES)) >= 0);
    MUST(kmailbox_write(out, h, sizeof(*h)) == sizeof(*h) && !kmailbox_close(out));
}

static struct nanvix_process_handle read_one(int in)
{
    struct nanvix_process_handle h;
    MUST(kmailbox_read(in, &h, sizeof(h)) == sizeof(h));
    return h;
}

/* A server that has just begun, or has no turn for a while, may not answer. */
static int handle_of(int node, int renew, struct nanvix_process_handle *h)
{
    int error;
    while ((error = nanvix_process_handle(node, renew, h)) == -EIO)
        kthread_yield();
    return error;
}

/* A message back says that it was used. */
static void give(void)
{
    struct nanvix_process_handle h, next;
    int node, in = kmailbox_create(knode_get_num(), HANDLES);
    MUST(in >= 0 && !nanvix_process_cluster(0, &node) && !handle_of(node, 0, &h));
    write_to(1, &h);
    read_one(in);
    MUST(!handle_of(node, 1, &next) && next.key != h.key);
    write_to(1, &next);
}

static void be_given(void)
{
    int node, in = kmailbox_create(knode_get_num(), HANDLES);
    MUST(in >= 0 && !nanvix_process_cluster(0, &node));
    struct nanvix_process_handle h = read_one(in), none;
    MUST(started(node, "exit", "7") == -EPERM && handle_of(node, 0, &none) == -EPERM);
    MUST(!nanvix_process_use(&h));
    MUST(end_of(started(node, "exit", "7")) == (NANVIX_PROCESS_EXITED << 8 | 7));
    int runs = started(node, "rest", NULL);
    MUST(runs > 0);
    write_to(node, &h);
    none = read_one(in);
    MUST(started(node, "exit", "7") == -EPERM && nanvix_process_wait(runs, NULL) == -EAGAIN);
    MUST(!nanvix_process_use(&none)); /* the next one */
    MUST(end_of(started(node, "exit", "7")) == (NANVIX_PROCESS_EXITED << 8 | 7));
}

static void run_rounds(int rounds)
{
    int nodes = 0, node, lost = 0, done = 0;
    while (!nanvix_process_cluster((unsigned)nodes, &node))
        nodes++;
    for (int i = 0; i < rounds; i++) {
        MUST(!nanvix_process_cluster((unsigned)(i % nodes), &node));
        int number = started(node, "exit", "9");
        int end = number < 0 ? number : end_of(number);
        MUST(end == 9 || end == -EIO);
        lost += end == -EIO;
        done += end == 9;
    }
    uprintf("processes: %d done, %d lost", done, lost);
}

void ___start(int argc, const char *argv[], char **envp)
{
    int node;
    UNUSED(envp);
    knoc_init();
    read_file();
    if (argc > 2 && !ustrcmp(argv[1], "rounds")) {
        run_rounds(number_of(argv[2], 0));
    } else if (argc > 1 && !ustrcmp(argv[1], "refused")) {
        check_refused();
    } else if (argc > 1 && !ustrcmp(argv[1], "gives")) {
        give();
    } else if (argc > 1 && !ustrcmp(argv[1], "given")) {
        be_given();
    } else {
        for (unsigned i = 0; !nanvix_process_cluster(i, &node); i++) {
            check_at(node);
            check_piped(node);
        }
        check_wrong();
    }
    uprintf("processes: right");
}
