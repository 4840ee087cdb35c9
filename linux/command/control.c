/* SPDX-License-Identifier: MIT */
/*
 * control.c - sends lines to the control console of the kernel, and reads their answers.
 *
 * An answer ends with a line `ok` or `error: ...`; lines that the kernel logs may stand in between. Two commands at
 * once would take each other's answers, so a command holds a lock on the device while it asks. The answer to a command
 * that was killed comes while another one asks. Therefore each line has a tag of its own (#PID.COUNT), and the last
 * line of its answer ends with the tag.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

#define PATIENCE_MS 10000
#define LONGEST     67 /* characters of the console's line, less the tag */

static char tag[12]; /* of the last line that was sent */

struct text {
    char *at;
    size_t used, room;
};

static int text_add(struct text *t, const char *bytes, size_t n)
{
    if (!t->at || t->used + n + 1 > t->room) {
        t->room = 2 * (t->used + n + 1);
        char *bigger = realloc(t->at, t->room);
        if (!bigger)
            return ENOMEM;
        t->at = bigger;
    }
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != '\r')
            t->at[t->used++] = bytes[i];
    t->at[t->used] = '\0';
    return 0;
}

/* Returns the line that ends the answer, or NULL if it has not come yet. */
static char *find_end(const struct text *t)
{
    size_t n = strlen(tag);
    for (char *line = t->at, *end; line && (end = strchr(line, '\n')); line = end + 1)
        if ((!strncmp(line, "ok", 2) || !strncmp(line, "error: ", 7)) && (size_t)(end - line) >= 2 + n &&
            !strncmp(end - n, tag, n))
            return line;
    return NULL;
}

/* Returns the start of the answer that ends at `end`: behind the last line that ends an answer to another command. */
static char *find_answer(char *text, const char *end)
{
    char *from = text;
    for (char *line = text; line < end; line = strchr(line, '\n') + 1)
        if (!strncmp(line, "ok#", 3) || (!strncmp(line, "error: ", 7) && memchr(line, '#', strcspn(line, "\n"))))
            from = strchr(line, '\n') + 1;
    return from;
}

/* Read until the answer is complete. Returns 0 or errno. */
static int read_answer(struct text *t, int timeout_ms)
{
    struct listener l = { .wanted = SOURCE_KERNEL };
    char piece[512];
    while (!find_end(t)) {
        ssize_t n = stream_read(device_fd, &l, piece, sizeof(piece), timeout_ms);
        int error = n < 0 ? (int)-n : n ? text_add(t, piece, (size_t)n) : ETIMEDOUT;
        if (error)
            return error;
    }
    return 0;
}

/* Lock the device; print a note after 2 seconds, because a command that asks is answered sooner unless it was stopped.
 * Returns 0 or errno. */
static int lock_console(void)
{
    const struct timespec pause = { .tv_nsec = 100000000 };
    for (unsigned tries = 0; tries < 20; tries++) {
        if (!flock(device_fd, LOCK_EX | LOCK_NB))
            return 0;
        if (errno != EWOULDBLOCK)
            return errno;
        nanosleep(&pause, NULL);
    }
    say_waiting("asks the kernel");
    return flock(device_fd, LOCK_EX) ? errno : 0;
}

static int ask(const char *line, struct text *t, int timeout_ms)
{
    static unsigned asked;
    char typed[LONGEST + sizeof(tag) + 2];
    snprintf(tag, sizeof(tag), "#%x.%x", (unsigned)getpid() & 0xfffff, asked++ & 0xfff);
    snprintf(typed, sizeof(typed), "%s %s\n", tag, line);
    int error = lock_console();
    if (error)
        return error;
    lseek(device_fd, 0, SEEK_END); /* skip output from before the question */
    error = stream_write(device_fd, SOURCE_KERNEL, typed, strlen(typed));
    if (!error)
        error = read_answer(t, timeout_ms);
    flock(device_fd, LOCK_UN);
    return error;
}

/* `end` is the answer's last line, an error. If it ends with a negative number and the caller wants it, store it in
 * *number; otherwise print the error. Returns FAILED. */
static int note_refusal(const char *answer, char *end, int *number)
{
    end[strcspn(end, "\n") - strlen(tag)] = '\0';
    const char *last = strrchr(end, ' ');
    if (number && *last && atoi(last) < 0)
        *number = -atoi(last);
    else
        fail("amalgam control help lists the commands", "%.*s%s", (int)(end - answer), answer, end + 7);
    return FAILED;
}

int control_try(const char *line, char **answer, int timeout_ms, int *number)
{
    struct amalgam_status s;
    struct text t = { 0 };
    int status = device_open();
    if (!status)
        status = device_call(AMALGAM_STATUS, &s);
    if (status)
        return status;
    if (s.state != AMALGAM_ATTACHED)
        return fail("amalgam attach", "the kernel is not attached");
    if (!s.cores)
        return fail("amalgam domain create FILE, or amalgam cpu give N", "the kernel has no core of its own yet");
    if (strlen(line) > LONGEST || strpbrk(line, "\r\n"))
        return fail("amalgam control help lists the commands", "'%s' is not one line of at most %d characters", line,
                    LONGEST);
    int error = ask(line, &t, timeout_ms);
    char *end = error ? NULL : find_end(&t), *from = end ? find_answer(t.at, end) : t.at;
    if (!end)
        status = fail(error == ETIMEDOUT ? "amalgam log shows what the kernel said" : "", "%s: %s", line,
                      error == ETIMEDOUT ? "no answer" : strerror(error));
    else if (*end == 'e')
        status = note_refusal(from, end, number);
    else
        *end = '\0';
    if (!status)
        *answer = strdup(from);
    free(t.at);
    return status || *answer ? status : fail("", "no memory for the answer");
}

int control(const char *line, char **answer, int timeout_ms) { return control_try(line, answer, timeout_ms, NULL); }

static int print_answer(const char *line)
{
    char *answer = NULL;
    int status = control(line, &answer, PATIENCE_MS);
    if (!answer)
        return status;
    say_answer(answer);
    free(answer);
    return DONE;
}

int cmd_control(int n, char **word)
{
    char line[256] = "";
    for (int i = 0; i < n; i++)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? " " : "", word[i]);
    return n ? print_answer(line) : usage("control: which line?");
}

int cmd_trace(int n, char **word)
{
    if (n != 1 || (strcmp(word[0], "on") && strcmp(word[0], "off") && strcmp(word[0], "dump")))
        return usage("trace: on, off or dump");
    char line[16];
    snprintf(line, sizeof(line), "trace %s", word[0]);
    return print_answer(line);
}

/* Print the output of the kernel, or of a domain, that the module has kept, with its control characters shown; with -f
 * also what comes from now on. */
int cmd_log(int n, char **word)
{
    static const struct option table[] = { { "follow", no_argument, NULL, 'f' }, { 0 } };
    bool follow = false;
    char piece[512], shown[4 * sizeof(piece)];
    u8 held = 0;
    ssize_t got;
    for (int option; (option = next_option("log", n, word, ":f", table)) != -1; follow = true)
        if (option != 'f')
            return USAGE;
    if (optind < n)
        return usage("log: [-f] [DOMAIN]");
    const char *name = optind == n ? word[n - 1] : NULL;
    int status = device_open(), source = status || !name ? SOURCE_KERNEL : domain_number(name);
    if (status || source < 0)
        return status ? status : FAILED;
    struct listener l = { .wanted = (u8)source };
    lseek(device_fd, 0, SEEK_SET);
    catch_signals();
    while (!interrupted && (got = stream_read(device_fd, &l, piece, sizeof(piece), follow ? 500 : 0)) >= 0) {
        if (!got && !follow)
            break;
        fwrite(shown, 1, show_text(&held, piece, (size_t)got, shown), stdout);
        fflush(stdout);
    }
    return DONE;
}
