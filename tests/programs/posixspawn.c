/* SPDX-License-Identifier: MIT */
/*
 * posixspawn.c - posix_spawn() and what goes with it, rightly and wrongly, by a process with two slots (docs/shell.md).
 * What it starts is its file /posixspawn, itself: `posixspawn WHAT`; `posixspawn poll` waits for what is typed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "posixspawn"
#include "../../user/programs/must.h"

extern char **environ;
static volatile char *volatile nowhere;

static int child(const char *what)
{
    char line[64];
    if (!strcmp(what, "status"))
        return 42;
    if (!strcmp(what, "fault"))
        *nowhere = 0;
    while (!strcmp(what, "loop"))
        sleep(1);
    if (!strcmp(what, "copy")) { /* as a filter does */
        while (fgets(line, sizeof line, stdin))
            fputs(line, stdout);
        return fflush(stdout) != 0;
    }
    MUST(!strcmp(what, "no-output")); /* number 1 is closed */
    MUST(write(1, "x", 1) == -1 && errno == EBADF);
    return 7;
}

static pid_t start(const char *what, const posix_spawn_file_actions_t *actions)
{
    char *const argv[] = { "posixspawn", (char *)(uintptr_t)what, NULL };
    pid_t number = -1;
    int error = posix_spawn(&number, "/posixspawn", actions, NULL, argv, environ);
    errno = error;
    return error ? -1 : number;
}

/* A line is ready only when it is whole, and read(0) gives it; then the end. */
static int poll_console(void)
{
    struct pollfd ready = { .fd = 0, .events = POLLIN };
    char line[64];
    MUST(start("status", NULL) == -1 && errno == EAGAIN); /* it has no slots */
    MUST(isatty(0) && poll(&ready, 1, 0) == 0);
    printf("posixspawn: waits\n");
    while (poll(&ready, 1, 20) == 0)
        ;
    MUST(ready.revents == POLLIN);
    ssize_t n = read(0, line, 3);
    MUST(n == 3 && poll(&ready, 1, 0) == 1);
    MUST((n = read(0, line + 3, sizeof line - 3)) > 0);
    printf("posixspawn: read %.*s", (int)n + 3, line);
    MUST(poll(&ready, 1, -1) == 1 && read(0, line, sizeof line) == 0);
    return 0;
}

static int end_of(pid_t number)
{
    int status;
    MUST(waitpid(number, &status, 0) == number);
    return status;
}

static void check_ends(void)
{
    int status = end_of(start("status", NULL));
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = end_of(start("fault", NULL));
    MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    pid_t first = start("loop", NULL), second = start("loop", NULL);
    MUST(first > 0 && second > 0 && start("status", NULL) == -1 && errno == EAGAIN);
    MUST(waitpid(-1, &status, WNOHANG) == 0 && waitpid(first, &status, WNOHANG) == 0);
    MUST(!kill(first, 0) && !kill(first, SIGTERM) && !kill(second, SIGKILL));
    status = end_of(first);
    MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    MUST(wait(&status) == second && WTERMSIG(status) == SIGKILL);
    MUST(kill(first, SIGTERM) == -1 && errno == ESRCH);
    MUST(waitpid(first, &status, 0) == -1 && errno == ECHILD && wait(&status) == -1 && errno == ECHILD);
    MUST(waitpid(-1, &status, 0x1000) == -1 && errno == EINVAL);
}

static void check_files(void)
{
    char *const argv[] = { "x", NULL };
    int file = open("/data", O_CREAT | O_WRONLY, 0755);
    MUST(file >= 0 && write(file, "not a program", 13) == 13 && !close(file));
    MUST(posix_spawn(NULL, "/none", NULL, NULL, argv, environ) == ENOENT);
    MUST(posix_spawn(NULL, "/", NULL, NULL, argv, environ) == EACCES);
    MUST(posix_spawn(NULL, "/data", NULL, NULL, argv, environ) == ENOEXEC);
    MUST(posix_spawnp(NULL, "none", NULL, NULL, argv, environ) == ENOENT);
    MUST(setenv("PATH", "/none:/", 1) == 0);
    pid_t number;
    MUST(!posix_spawnp(&number, "posixspawn", NULL, NULL, (char *[]){ "posixspawn", "status", NULL }, environ));
    MUST(WEXITSTATUS(end_of(number)) == 42);
    static char large[9000];
    memset(large, 'x', sizeof large - 1);
    MUST(posix_spawn(NULL, "/posixspawn", NULL, NULL, (char *[]){ large, NULL }, environ) == E2BIG);
}

/* A program between two pipes: what goes in comes out, and its end is seen. */
static void check_pipes(void)
{
    int in[2], out[2];
    char text[64];
    posix_spawn_file_actions_t actions;
    MUST(!pipe(in) && !pipe(out) && !posix_spawn_file_actions_init(&actions));
    MUST(!posix_spawn_file_actions_adddup2(&actions, in[0], 0) &&
         !posix_spawn_file_actions_adddup2(&actions, out[1], 1));
    for (int i = 0; i < 2; i++)
        MUST(!posix_spawn_file_actions_addclose(&actions, in[i]) &&
             !posix_spawn_file_actions_addclose(&actions, out[i]));
    pid_t number = start("copy", &actions);
    MUST(number > 0 && !close(in[0]) && !close(out[1]));
    struct pollfd ready = { .fd = out[0], .events = POLLIN };
    MUST(poll(&ready, 1, 0) == 0);
    MUST(write(in[1], "through\n", 8) == 8 && !close(in[1]));
    MUST(poll(&ready, 1, -1) == 1 && ready.revents & POLLIN);
    size_t n = 0;
    for (ssize_t some; (some = read(out[0], text + n, sizeof text - n)) > 0;)
        n += (size_t)some;
    MUST(n == 8 && !memcmp(text, "through\n", 8));
    MUST(poll(&ready, 1, -1) == 1 && ready.revents == POLLHUP);
    MUST(end_of(number) == 0 && !close(out[0]));
    MUST(!posix_spawn_file_actions_destroy(&actions));
}

static void check_broken_pipe(void)
{
    int ends[2], flags;
    char some[512] = { 0 };
    MUST(!pipe(ends) && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    flags = fcntl(ends[1], F_GETFL);
    MUST(!fcntl(ends[1], F_SETFL, flags | O_NONBLOCK));
    while (write(ends[1], some, sizeof some) == sizeof some)
        ;
    MUST(errno == EAGAIN && !close(ends[0]));
    MUST(write(ends[1], some, 1) == -1 && errno == EPIPE && !close(ends[1]));
}

static void check_actions(void)
{
    posix_spawn_file_actions_t actions;
    MUST(!posix_spawn_file_actions_init(&actions) && !posix_spawn_file_actions_addclose(&actions, 1));
    MUST(posix_spawn_file_actions_addclose(&actions, -1) == EBADF);
    MUST(WEXITSTATUS(end_of(start("no-output", &actions))) == 7);
    MUST(!posix_spawn_file_actions_addopen(&actions, 0, "/none", O_RDONLY, 0));
    MUST(WEXITSTATUS(end_of(start("status", &actions))) == 127);
    MUST(!posix_spawn_file_actions_destroy(&actions));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "poll") ? child(argv[1]) : poll_console();
    for (int round = 0; round < 3; round++) {
        check_ends();
        check_files();
        check_pipes();
        check_broken_pipe();
        check_actions();
    }
    printf("posixspawn: right\n");
    return 0;
}
