/* SPDX-License-Identifier: MIT */
/*
 * run.c - runs the commands of a line: LIST is PIPELINEs with ; & && || between, PIPELINE is COMMANDs with | between,
 * a COMMAND has words and redirections. Each command is a program of PATH, which posix_spawn() starts; `&` does not
 * wait for the pipeline's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

#define NOT_FOUND 127
#define NOT_RUN   126
#define WRONG     2
#define BY_SIGNAL 128
#define COMMANDS  15 /* of a pipeline */

extern char **environ;

int status;
bool leaving, stopped;

static int status_of(int end) { return WIFEXITED(end) ? WEXITSTATUS(end) : BY_SIGNAL + WTERMSIG(end); }

static void say_end(pid_t child, int end)
{
    if (!WIFEXITED(end))
        fprintf(stderr, "[%d] ended by signal %d\n", (int)child, WTERMSIG(end));
}

void say_ends(void)
{
    int end;
    for (pid_t child; (child = waitpid(-1, &end, WNOHANG)) > 0;) {
        say_end(child, end);
        if (WIFEXITED(end))
            fprintf(stderr, "[%d] done: %d\n", (int)child, WEXITSTATUS(end));
    }
}

/* --- one command ------------------------------------------------------------------------------------------------- */

/* Redirections have a word behind them, but for one. */
static int redirect(posix_spawn_file_actions_t *actions, const char *how, const char *to)
{
    if (how == READ_FROM)
        return posix_spawn_file_actions_addopen(actions, 0, to, O_RDONLY, 0);
    int flags = O_WRONLY | O_CREAT | (how == APPEND_TO ? O_APPEND : O_TRUNC);
    return posix_spawn_file_actions_addopen(actions, how == ERROR_TO ? 2 : 1, to, flags, 0666);
}

/* Collect the words of a command, up to `end`, and its redirections. Returns how many words, or -1: it said why not. */
static int collect(const char *const *word, const char *const *end, char *argv[], posix_spawn_file_actions_t *actions)
{
    int argc = 0, error = 0;
    for (; word < end && !error; word++) {
        if (!is_operator(*word)) {
            argv[argc++] = (char *)(uintptr_t)*word;
        } else if (*word == ERROR_TO_OUT) {
            error = posix_spawn_file_actions_adddup2(actions, 1, 2);
        } else if (word + 1 == end || is_operator(word[1])) {
            fprintf(stderr, "sh: nothing behind %s\n", *word);
            return -1;
        } else {
            error = redirect(actions, *word, word[1]);
            word++;
        }
    }
    argv[argc] = NULL;
    if (error || !argc)
        fprintf(stderr, "sh: %s\n", error ? strerror(error) : "a command is missing");
    return error || !argc ? -1 : argc;
}

/* What it has of the pipes beside it: -1, none. */
struct ends {
    int in, out, other; /* `other` is the reading end of the pipe that `out` writes to */
};

static void take_ends(posix_spawn_file_actions_t *actions, const struct ends *e)
{
    if (e->in >= 0)
        posix_spawn_file_actions_adddup2(actions, e->in, 0);
    if (e->out >= 0)
        posix_spawn_file_actions_adddup2(actions, e->out, 1);
    for (int number = 3; number <= e->in || number <= e->out || number <= e->other; number++)
        if (number == e->in || number == e->out || number == e->other)
            posix_spawn_file_actions_addclose(actions, number);
}

/* Start one command. Returns its number, 0: it was one of the shell's own; -1: it could not, which was said. */
static pid_t start(const char *const *word, const char *const *end, const struct ends *e)
{
    char *argv[WORDS + 1];
    pid_t child = -1;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return -1;
    take_ends(&actions, e);
    int argc = collect(word, end, argv, &actions);
    status = argc < 0 ? WRONG : 0;
    if (argc > 0 && e->in < 0 && e->out < 0 && run_own(argv, argc)) {
        child = 0;
    } else if (argc > 0 && (error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ))) {
        fprintf(stderr, "sh: %s: %s\n", argv[0], error == EAGAIN ? "too many programs run" : strerror(error));
        status = error == ENOENT ? NOT_FOUND : NOT_RUN;
        child = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* --- pipelines --------------------------------------------------------------------------------------------------- */

static const char *const *find(const char *const *word, const char *const *end, const char *operator)
{
    while (word < end && *word != operator)
        word++;
    return word;
}

static void close_end(int *number)
{
    if (*number >= 0)
        close(*number);
    *number = -1;
}

/* Start all commands of a pipeline. Returns how many run; fewer than there are: the one behind them could not. */
static unsigned start_all(const char *const *word, const char *const *end, pid_t child[COMMANDS])
{
    struct ends e = { -1, -1, -1 };
    unsigned n = 0;
    for (bool more = true; more; n++) {
        const char *const *stop = find(word, end, PIPE);
        int both[2] = { -1, -1 };
        more = stop < end;
        if (more && (n == COMMANDS - 1 || pipe(both))) {
            fprintf(stderr, "sh: %s\n", n == COMMANDS - 1 ? "the pipeline is too long" : strerror(errno));
            status = NOT_RUN;
            break;
        }
        e.out = both[1];
        e.other = both[0];
        child[n] = start(word, stop, &e);
        close_end(&e.in);
        close_end(&e.out);
        e.in = both[0];
        word = stop + 1;
        if (child[n] < 0)
            break;
    }
    close_end(&e.in);
    return n;
}

/* ^C ended one of a pipeline: the others go, too. */
static void stop(const pid_t *child, unsigned n)
{
    stopped = true;
    while (n--)
        if (child[n] > 0)
            kill(child[n], SIGINT);
}

static void run_pipeline(const char *const *word, const char *const *end, bool waits)
{
    pid_t child[COMMANDS];
    unsigned n = start_all(word, end, child);
    int failed = status;
    for (unsigned i = 0; i < n; i++) {
        int how;
        if (child[i] <= 0)
            continue;
        if (!waits) {
            fprintf(stderr, "[%d]\n", (int)child[i]);
        } else if (waitpid(child[i], &how, 0) == child[i]) {
            say_end(child[i], how);
            status = status_of(how);
            if (WIFSIGNALED(how) && WTERMSIG(how) == SIGINT)
                stop(child + i + 1, n - i - 1);
        }
    }
    if (failed)
        status = failed;
}

static void run_list(const char *line, struct words *w)
{
    bool runs = true;
    while (*line && !leaving && !stopped) {
        const char *wrong = words_of(&line, w);
        if (wrong) {
            fprintf(stderr, "sh: %s\n", wrong);
            status = WRONG;
            return;
        }
        if (runs && (w->n || w->behind != THEN))
            run_pipeline(w->word, w->word + w->n, w->behind != BESIDE);
        if (w->behind == AND_IF)
            runs = !status;
        else if (w->behind == OR_IF)
            runs = status;
        else
            runs = true;
    }
}

void run(const char *line)
{
    struct words *w = malloc(sizeof *w);
    if (w) {
        run_list(line, w);
    } else {
        fprintf(stderr, "sh: %s\n", strerror(errno));
        status = NOT_RUN;
    }
    free(w);
}
