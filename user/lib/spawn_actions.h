/* SPDX-License-Identifier: MIT */
/* spawn_actions.h - what a posix_spawn_file_actions_t lists. */
#ifndef AMALGAM_USER_SPAWN_ACTIONS_H
#define AMALGAM_USER_SPAWN_ACTIONS_H

#include <spawn.h>

struct spawn_action {
    struct spawn_action *next;
    char letter; /* posix_spawn.h */
    int number, second, third;
    char *path; /* NULL: it has none */
};

const struct spawn_action *spawn_first_action(const posix_spawn_file_actions_t *of);

#endif
