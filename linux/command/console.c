/* SPDX-License-Identifier: MIT */
/* console.c - `amalgam domain console NAME`: connects this terminal to a domain's console; Ctrl-] leaves. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

#define CTRL_BRACKET 0x1d
#define LIST_MS      10000

int domain_number(const char *name)
{
    char *answer, found[32];
    int number = -1, id, status = control("list", &answer, LIST_MS);
    if (status)
        return -1;
    for (char *line = strtok(answer, "\n"); line; line = strtok(NULL, "\n"))
        if (sscanf(line, "%d %31s", &id, found) == 2 && !strcmp(found, name))
            number = id;
    free(answer);
    if (number < 0)
        fail("amalgam domain list", "no domain '%s'", name);
    return number;
}

/* Send what was typed to the domain. Returns false at the end of the input, at Ctrl-], and if the domain takes none. */
static bool send_typed(u8 number)
{
    char typed[256];
    ssize_t n = read(STDIN_FILENO, typed, sizeof(typed));
    char *leave = n > 0 ? memchr(typed, CTRL_BRACKET, (size_t)n) : NULL;
    size_t length = leave ? (size_t)(leave - typed) : n > 0 ? (size_t)n : 0;
    if (length && stream_write(device_fd, number, typed, length))
        return false;
    return n > 0 && !leave;
}

/* Print what the domain has said. Returns 0 or errno. */
static int print_output(struct listener *l)
{
    char piece[512];
    ssize_t n = stream_read(device_fd, l, piece, sizeof(piece), 0);
    if (n > 0) {
        fwrite(piece, 1, (size_t)n, stdout);
        fflush(stdout);
    }
    return n < 0 ? (int)-n : 0;
}

static long seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Connect the terminal until Ctrl-], a signal, or the end of `limit` seconds (0: no limit). The end of the input ends
 * it only if there is no limit. */
static int talk(u8 number, u64 limit)
{
    struct listener l = { .wanted = number };
    long start = seconds();
    bool typing = true;
    while (!interrupted && (!limit || seconds() - start < (long)limit)) {
        struct pollfd wait[2] = { { .fd = device_fd, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
        if (poll(wait, typing ? 2 : 1, 200) < 0 && errno != EINTR)
            return fail("", "poll: %s", strerror(errno));
        int error = wait[0].revents ? print_output(&l) : 0;
        if (error)
            return fail("amalgam status", "%s", strerror(error));
        if (typing && wait[1].revents && !(typing = send_typed(number)) && !limit)
            return DONE;
    }
    return DONE;
}

int cmd_console(int n, char **word)
{
    static const struct option table[] = { { "seconds", required_argument, NULL, 's' }, { 0 } };
    struct termios before, raw;
    u64 limit = 0;
    for (int option; (option = next_option("domain console", n, word, ":", table)) != -1;) {
        if (option != 's')
            return USAGE;
        if (!parse_number(optarg, &limit))
            return usage("domain console: '%s' is no number of seconds", optarg);
    }
    if (optind != n)
        return usage("domain console: NAME [--seconds N]");
    const char *name = word[n - 1];
    int number = domain_number(name);
    if (number < 0)
        return FAILED;
    bool terminal = !tcgetattr(STDIN_FILENO, &before);
    catch_signals();
    if (terminal) {
        fprintf(stderr, "amalgam: Ctrl-] leaves the console of %s\n", name);
        raw = before;
        cfmakeraw(&raw);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    int status = talk((u8)number, limit);
    if (terminal)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    return status;
}
