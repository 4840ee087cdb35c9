/* SPDX-License-Identifier: MIT */
/* own.c - commands that are the shell's own, because they change the shell or what it has started. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

#define DEPTH 2 /* of shells in the shell: each takes some 4 KiB of its stack */

static int complain(const char *who, const char *what)
{
    fprintf(stderr, "sh: %s: %s: %s\n", who, what, strerror(errno));
    return 1;
}

static int change(int argc, char *const argv[])
{
    const char *to = argc > 1 ? argv[1] : "/";
    return chdir(to) ? complain("cd", to) : 0;
}

static int where(int argc, char *const argv[])
{
    char path[1024];
    (void)argc, (void)argv;
    return getcwd(path, sizeof path) ? puts(path), 0 : complain("pwd", "here");
}

static int leave(int argc, char *const argv[])
{
    leaving = true;
    return argc > 1 ? atoi(argv[1]) & 0xff : status;
}

/* What another shell would do, in this one, since what it has started starts nothing: folder and variables stay as the
 * lines leave them. */
static int nest(int argc, char *const argv[])
{
    static unsigned depth;
    bool is_line = argc == 3 && !strcmp(argv[1], "-c");
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (argc == 2 && !in)
        return complain("sh", argv[1]), 127;
    if ((!in && !is_line) || depth == DEPTH) {
        fprintf(stderr, depth == DEPTH ? "sh: shells in shells: too many\n" : "sh: sh FILE, or sh -c LINE\n");
        return 2;
    }
    depth++;
    if (in)
        run_lines(in), fclose(in);
    else
        run(argv[2]);
    depth--;
    leaving = false;
    return status;
}

/* NAME=VALUE ... */
static int set(int argc, char *const argv[])
{
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value || value == argv[i]) {
            fprintf(stderr, "sh: export NAME=VALUE\n");
            return 1;
        }
        *value = '\0';
        if (setenv(argv[i], value + 1, 1))
            return complain("export", argv[i]);
    }
    return 0;
}

static int end(int argc, char *const argv[])
{
    for (int i = 1; i < argc; i++) {
        pid_t child = atoi(argv[i]);
        errno = EINVAL;
        if (child <= 0 || kill(child, SIGTERM)) /* 0 is the shell itself */
            return complain("kill", argv[i]);
    }
    return 0;
}

static int await(int argc, char *const argv[])
{
    (void)argc, (void)argv;
    while (wait(NULL) > 0)
        ;
    return 0;
}

static int help(int argc, char *const argv[]);

static const struct {
    const char *name, *text;
    int (*run)(int argc, char *const argv[]);
} commands[] = {
    { "cd", "[FOLDER]: go there", change },
    { "pwd", "say where", where },
    { "export", "NAME=VALUE: for programs, and as $NAME", set },
    { "kill", "NUMBER: end what runs beside", end },
    { "wait", "for all that runs beside", await },
    { "sh", "FILE, or -c LINE: run it here", nest },
    { "exit", "[STATUS]: end the shell", leave },
    { "help", "this list", help },
};
#define COMMANDS (sizeof commands / sizeof *commands)

static int help(int argc, char *const argv[])
{
    (void)argc, (void)argv;
    for (unsigned i = 0; i < COMMANDS; i++)
        printf("%-7s %s\n", commands[i].name, commands[i].text);
    puts("programs: ls /bin; a | b, < > >> 2> 2>&1, ; & && ||, 'text' \"text\", $NAME, $?, * and ?");
    return 0;
}

bool run_own(char *const argv[], int argc)
{
    for (unsigned i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[0], commands[i].name)) {
            status = commands[i].run(argc, argv);
            return true;
        }
    return false;
}
