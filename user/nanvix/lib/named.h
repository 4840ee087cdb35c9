/* SPDX-License-Identifier: MIT */
/*
 * named.h - what mailboxes and portals by name share: a table, from a number that programs have to the descriptor of
 * the kernel. An entry is of the process; a lock guards the table, and not what is done with a descriptor.
 */
#ifndef AMALGAM_NANVIX_NAMED_H
#define AMALGAM_NANVIX_NAMED_H

#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>

#include "nanvix.h"

#define NAMED_MAX 64

struct named {
    bool used;
    bool input; /* it receives, and has linked `name` */
    bool own;   /* the descriptor ends with it; else it is the thread's (stdikc.h) */
    int fd;
    char name[NANVIX_PROC_NAME_MAX];
};

struct named_table {
    uint32_t lock;
    struct named at[NAMED_MAX];
    int (*unlink)(int fd); /* kmailbox_unlink() or kportal_unlink() */
};

/* Link a name for descriptor `fd` and make an entry of it. `fd` may be an error. Returns its number or an error; then
 * the descriptor is freed if it is its `own`. */
int named_create(struct named_table *t, const char *name, int fd, bool own);
/* Make an entry of a descriptor that sends, which may be an error. `close` frees it where there is no room. */
int named_open(struct named_table *t, int fd, int (*close)(int fd));
/* Returns the descriptor of an entry of that direction, -EINVAL, or `other`: it has the other direction. */
int named_fd(struct named_table *t, int id, bool input, int other);
/* Free an entry whose descriptor was freed by `end`. Returns its result; after an error the entry stays. */
int named_free(struct named_table *t, int id, bool input, int (*end)(int fd));

#endif
