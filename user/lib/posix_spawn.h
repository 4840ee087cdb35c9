/* SPDX-License-Identifier: MIT */
/*
 * posix_spawn.h - what posix_spawn() has a program do before main(), as words of one variable of its environment
 * (inherit.c): a letter, numbers, and a path. They are done in their order.
 */
#ifndef AMALGAM_USER_POSIX_SPAWN_H
#define AMALGAM_USER_POSIX_SPAWN_H

#define SPAWN_VARIABLE  "AMALGAM_START"
#define SPAWN_SEPARATOR "\x1f" /* between words */

enum {
    SPAWN_PIPE = 'p',   /* number, which of the handles, 1 if it writes */
    SPAWN_FOLDER = 'f', /* 0 0 0, the working folder */
    SPAWN_OPEN = 'o',   /* number, flags, mode, the path */
    SPAWN_DUP = 'd',    /* from, to */
    SPAWN_CLOSE = 'c',  /* number */
};

#endif
