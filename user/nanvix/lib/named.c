/* SPDX-License-Identifier: MIT */
/* named.c - see named.h. */
#include "named.h"

#include <string.h>

/* Returns the number of a new entry, or -EAGAIN. */
static int take(struct named_table *t, struct named entry)
{
    int id = 0;
    entry.used = true;
    nanvix_lock_take(&t->lock);
    while (id < NAMED_MAX && t->at[id].used)
        id++;
    if (id < NAMED_MAX)
        t->at[id] = entry;
    nanvix_lock_drop(&t->lock);
    return id < NAMED_MAX ? id : -EAGAIN;
}

int named_create(struct named_table *t, const char *name, int fd, bool own)
{
    struct named entry = { .input = true, .own = own, .fd = fd };
    if (fd < 0)
        return fd;
    int result = nanvix_name_link(knode_get_num(), name);
    if (!result) {
        strcpy(entry.name, name);
        result = take(t, entry);
        if (result < 0)
            nanvix_name_unlink(name);
    }
    if (result < 0 && own)
        t->unlink(fd);
    return result;
}

int named_open(struct named_table *t, int fd, int (*close)(int fd))
{
    if (fd < 0)
        return fd;
    int id = take(t, (struct named){ .own = true, .fd = fd });
    if (id < 0)
        close(fd);
    return id;
}

int named_fd(struct named_table *t, int id, bool input, int other)
{
    if (!WITHIN(id, 0, NAMED_MAX))
        return -EINVAL;
    nanvix_lock_take(&t->lock);
    int fd = !t->at[id].used ? -EINVAL : t->at[id].input == input ? t->at[id].fd : other;
    nanvix_lock_drop(&t->lock);
    return fd;
}

int named_free(struct named_table *t, int id, bool input, int (*end)(int fd))
{
    int fd = named_fd(t, id, input, -EPERM);
    if (fd < 0)
        return fd;
    int error = t->at[id].own ? end(fd) : 0;
    if (error)
        return error;
    if (input)
        error = nanvix_name_unlink(t->at[id].name);
    nanvix_lock_take(&t->lock);
    t->at[id].used = false;
    nanvix_lock_drop(&t->lock);
    return error == -EAGAIN || error == -ENOENT ? 0 : error; /* the name ends by itself */
}
