/* SPDX-License-Identifier: MIT */
/* spawn_actions.c - posix_spawn_file_actions_*(), and attributes, of which nothing has a meaning here. */
#include "spawn_actions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "posix_spawn.h"

struct __posix_spawn_file_actions {
    struct spawn_action *first, **last;
};

struct __posix_spawnattr {
    short flags;
};

const struct spawn_action *spawn_first_action(const posix_spawn_file_actions_t *of) { return (*of)->first; }

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *of)
{
    *of = calloc(1, sizeof **of);
    if (!*of)
        return ENOMEM;
    (*of)->last = &(*of)->first;
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *of)
{
    struct spawn_action *next;
    for (struct spawn_action *a = (*of)->first; a; a = next) {
        next = a->next;
        free(a->path);
        free(a);
    }
    free(*of);
    return 0;
}

static int add(posix_spawn_file_actions_t *of, struct spawn_action what)
{
    struct spawn_action *a = malloc(sizeof *a);
    if (!a)
        return ENOMEM;
    *a = what;
    *(*of)->last = a;
    (*of)->last = &a->next;
    return 0;
}

static bool is_number(int n) { return n >= 0 && n < MOST_OPEN; }

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict of, int number, const char *restrict path,
                                     int flags, mode_t mode)
{
    if (!is_number(number))
        return EBADF;
    char *copy = strdup(path);
    int error =
        copy ? add(of,
                   (struct spawn_action){
                       .letter = SPAWN_OPEN, .number = number, .second = flags, .third = (int)mode, .path = copy })
             : ENOMEM;
    if (error)
        free(copy);
    return error;
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *of, int number, int wanted)
{
    if (!is_number(number) || !is_number(wanted))
        return EBADF;
    return add(of, (struct spawn_action){ .letter = SPAWN_DUP, .number = number, .second = wanted });
}

int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *of, int number)
{
    return is_number(number) ? add(of, (struct spawn_action){ .letter = SPAWN_CLOSE, .number = number }) : EBADF;
}

int posix_spawnattr_init(posix_spawnattr_t *a)
{
    *a = calloc(1, sizeof **a);
    return *a ? 0 : ENOMEM;
}

int posix_spawnattr_destroy(posix_spawnattr_t *a)
{
    free(*a);
    return 0;
}

/* There are no users, groups, schedulers; signals' masks and handlers are a process's own from its start. */
int posix_spawnattr_setflags(posix_spawnattr_t *a, short flags)
{
    if (flags)
        return EINVAL;
    (*a)->flags = flags;
    return 0;
}

int posix_spawnattr_getflags(const posix_spawnattr_t *restrict a, short *restrict flags)
{
    *flags = (*a)->flags;
    return 0;
}
