/* SPDX-License-Identifier: MIT */
/* options.h - the arguments of a process server (main.c). */
#ifndef AMALGAM_SERVERS_PROCESS_OPTIONS_H
#define AMALGAM_SERVERS_PROCESS_OPTIONS_H

#include <stdint.h>

#define OPTIONS_LARGEST 496u /* KiB: a handle shows two such programs, with their texts, and at most a MiB */

struct options {
    unsigned threads, share;
    unsigned largest; /* KiB */
    unsigned dies;    /* 0: it does not */
    uint32_t from;    /* bits: clusters that may start programs */
};

/* Read words NAME=N and from=N,N,... into *o, which has what holds without them. Returns NULL, or the first word that
 * is wrong: no such name, N is not a number of 1 to the most that there may be, or no number of a cluster. */
const char *options_read(int argc, char **argv, struct options *o);

#endif
