/* SPDX-License-Identifier: MIT */
/*
 * across.c - a client of file and process servers on other machines, of which one may end at any moment
 * (docs/servers.md). The file /spawned is what the process servers start.
 *   across NODE...  in each round: a program on each cluster of the list runs to its end, the own file is written anew,
 *                   and those of these clusters are read; a program on the last cluster of the list rests all the time
 * What a server does not do is said when it begins and when it is over; what it does has to be exact. A page is of one
 * round, and no older one than was read before.
 */
#include <stdio.h> /* nanvix/runtime/fs/vfs.h has SEEK_SET of its own */

#include <nanvix/runtime/fs/vfs.h>
#include <nanvix/runtime/pm/process.h>

#include "served.h"
#include "spawned_file.h"

#define NODES   32
#define NAP     (5 * MS)
#define SAYS_AT 5 /* rounds */

static unsigned data[WORDS], seen[NODES], late;
static bool files_lost, lost[NODES];
static int resting; /* the program that rests; 0: none */

static const char *name_of_error(int error) { return error == -EIO ? "EIO" : error == -EAGAIN ? "EAGAIN" : "WRONG"; }
static int ms_since(uint64_t begin) { return (int)((now() - begin) / MS); }

/* Say it when a server stops to answer, and when it answers again. Returns whether it answers. */
static bool answers(bool *is_lost, const char *what, int node, int error, uint64_t begin)
{
    if (error && !*is_lost)
        uprintf("across: %s %d lost: %s after %d ms", what, node, name_of_error(error), ms_since(begin));
    else if (!error && *is_lost)
        uprintf("across: %s %d back", what, node);
    late += error != 0;
    *is_lost = error;
    return !error;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static const char *file_of(int node) { return name_of("across", node); }

/* Returns 0 or an error, as everything below that returns an int. */
static int write_own(unsigned round)
{
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = i ? word_of(round, i) : round;
    int fd = nanvix_vfs_open(file_of(me), O_RDWR | O_CREAT, 0644);
    if (fd < 0)
        return fd;
    ssize_t done = nanvix_vfs_write(fd, data, sizeof(data));
    nanvix_vfs_close(fd);
    MUST(done < 0 || done == (ssize_t)sizeof(data)); /* it is one question */
    return done < 0 ? (int)done : 0;
}

static int read_others(int node)
{
    int fd = nanvix_vfs_open(file_of(node), O_RDONLY);
    if (fd == -ENOENT)
        return 0; /* it has not been written since the server's life began */
    if (fd < 0)
        return fd;
    ssize_t done = nanvix_vfs_read(fd, data, sizeof(data));
    nanvix_vfs_close(fd);
    if (done <= 0)
        return (int)done;
    MUST(done == (ssize_t)sizeof(data) && data[0] >= seen[node]);
    for (unsigned i = 1; i < WORDS; i++)
        MUST(data[i] == word_of(data[0], i));
    seen[node] = data[0];
    return 0;
}

static void use_files(unsigned round, int n, const int *nodes)
{
    uint64_t begin = now();
    int error = write_own(round);
    for (int i = 0; i < n && !error; i++, begin = error ? begin : now())
        error = read_others(nodes[i]);
    MUST(!error || error == -EIO || error == -EAGAIN);
    answers(&files_lost, "files", me, error, begin);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static int start(int node, const char *what, const char *more)
{
    const char *const arguments[] = { "/bin/spawned", what, more, NULL };
    return nanvix_process_start(node, file, size, 1, arguments, NULL);
}

/* A program runs to its end. */
static void use_processes(unsigned round, int node)
{
    static char said[] = "00";
    uint64_t begin = now();
    int status = 0, error = 0;
    said[0] = (char)('0' + round / 10 % 10);
    said[1] = (char)('0' + round % 10);
    int number = start(node, "exit", said);
    MUST(number > 0 || number == -EAGAIN || number == -EIO);
    if (number > 0)
        for (begin = now(); (error = nanvix_process_wait(number, &status)) == -EAGAIN; begin = now())
            rest(NAP);
    MUST(!error || error == -EIO);
    MUST(number < 0 || error || status == (NANVIX_PROCESS_EXITED << 8 | (int)(round % 100)));
    answers(&lost[node], "cluster", node, number < 0 ? number : error, begin);
}

/* It never ends by itself, so only a server that is lost, or late, says anything else. */
static void look_at_resting(int node)
{
    uint64_t begin = now();
    int error = resting ? nanvix_process_wait(resting, NULL) : -EAGAIN;
    MUST(error == -EAGAIN || error == -EIO);
    if (error == -EIO) {
        uprintf("across: what rests at %d is lost: %s after %d ms", node, name_of_error(error), ms_since(begin));
        nanvix_process_kill(resting); /* if its server was late, and no more */
        resting = 0;
    } else if (!resting && (error = start(node, "rest", NULL)) > 0) {
        resting = error;
        uprintf("across: one rests at %d", node);
    }
}

void ___start(int argc, const char *argv[], char **envp)
{
    int nodes[NODES], servers[NODES], n = 0, n_servers = 0;
    UNUSED(envp);
    knoc_init();
    me = knode_get_num();
    read_file();
    for (; n < argc - 1 && n < NODES; n++) {
        nodes[n] = number_of(argv[n + 1], 0);
        MUST(nodes[n] < NODES);
    }
    while (!nanvix_process_cluster((unsigned)n_servers, &servers[n_servers]))
        n_servers++;
    MUST(n_servers);
    for (unsigned round = 1;; round++) {
        look_at_resting(servers[n_servers - 1]);
        use_files(round, n, nodes);
        for (int i = 0; i < n_servers; i++)
            use_processes(round, servers[i]);
        if (round % SAYS_AT == 0)
            uprintf("across: %d rounds, %d calls lost", (int)round, (int)late);
    }
}
