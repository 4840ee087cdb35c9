/* SPDX-License-Identifier: MIT */
/*
 * inherit.c - what a program that another one has started has of it, before main(): its files (posix_spawn.h), the
 * server's tree, by the variable MOUNT ("0 /": the server at tunnel 0, as folder /), its working folder. Linked by
 * `./amalgam cc --shell`, which asks for amalgam_inherit.
 */
#include <amalgam/mount.h>
#include <amalgam/spawn.h>
#include <amalgam/tunnel.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside.h"
#include "posix_spawn.h"
#include "tty.h"

#define CANNOT_START 127 /* POSIX, posix_spawn(): the status of who could not do what it was to do first */

extern char **environ;
extern const char *program_name; /* start.c */

static void must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "%s: %s: %s\n", program_name, what, strerror(errno));
    _exit(CANNOT_START);
}

/* Its handles follow those of its channels. */
static unsigned first_handle(void)
{
    unsigned n = 0;
    while (amalgam_tunnel_info(n, AMALGAM_TUNNEL_INFO_NUMBER) >= 0)
        n++;
    return n;
}

static void move(int from, int to)
{
    if (from == to)
        return;
    must(dup2(from, to) == to, "dup2");
}

/* One word: a letter, numbers, and what is left is a path. */
static void act(const char *word, int of_handle[], unsigned first)
{
    char *rest;
    int *at;
    long a = strtol(word + 1, &rest, 10), b = strtol(rest, &rest, 10), c = strtol(rest, &rest, 10);
    rest += *rest == ' ';
    switch (*word) {
    case SPAWN_PIPE: /* number, handle, whether it writes */
        at = &of_handle[b % AMALGAM_SPAWN_HANDLES];
        if (*at < 0)
            *at = outside_pipe_open(first + (unsigned)b, c);
        must(*at >= 0, "pipe");
        move(*at, (int)a);
        break;
    case SPAWN_DUP: move((int)a, (int)b); break;
    case SPAWN_CLOSE: close((int)a); break;
    case SPAWN_FOLDER: must(!chdir(rest), rest); break;
    case SPAWN_OPEN: {
        int number = open(rest, (int)b, (mode_t)c);
        must(number >= 0, rest);
        move(number, (int)a);
        if (number != a)
            close(number);
        break;
    }
    }
}

static void act_on_all(char *words)
{
    int of_handle[AMALGAM_SPAWN_HANDLES];
    unsigned first = first_handle();
    for (unsigned i = 0; i < AMALGAM_SPAWN_HANDLES; i++)
        of_handle[i] = -1;
    for (char *word = strtok(words, SPAWN_SEPARATOR); word; word = strtok(NULL, SPAWN_SEPARATOR))
        act(word, of_handle, first);
}

static void mount_tree(const char *how)
{
    char *path;
    unsigned long index = strtoul(how, &path, 10);
    must(*path == ' ' && !amalgam_mount((uint32_t)index, path + 1), "MOUNT");
}

__attribute__((constructor(101))) void amalgam_inherit(void)
{
    const char *mount = getenv("MOUNT");
    char *words = getenv(SPAWN_VARIABLE);
    tty_begin();
    if (mount)
        mount_tree(mount);
    if (!words)
        return;
    act_on_all(words);
    unsetenv(SPAWN_VARIABLE);
}
