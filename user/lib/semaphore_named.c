/* SPDX-License-Identifier: MIT */
/* semaphore_named.c - semaphores with names: a list of the process. One without a name is in the list until it is
 * closed as often as it was opened. */
#include <errno.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

struct named {
    struct named *next;
    unsigned opened; /* how often, less how often it was closed */
    bool unlinked;
    sem_t semaphore;
    char name[];
};

static uint32_t lock;
static struct named *first;

static const char *without_slash(const char *name) { return name + (*name == '/'); }

/* The following are under the lock. */

/* Returns where the list points at the semaphore of that name, or its end. */
static struct named **find(const char *name)
{
    struct named **at = &first;
    while (*at && ((*at)->unlinked || strcmp((*at)->name, name)))
        at = &(*at)->next;
    return at;
}

static void free_if_unused(struct named **at)
{
    struct named *gone = *at;
    if (gone->opened || !gone->unlinked)
        return;
    *at = gone->next;
    free(gone);
}

static int make(struct named **end, const char *name, unsigned value)
{
    size_t length = strlen(name) + 1;
    if (value > SEM_VALUE_MAX)
        return EINVAL;
    struct named *n = malloc(sizeof(*n) + length);
    if (!n)
        return ENOMEM;
    *n = (struct named){ .semaphore = { value } };
    memcpy(n->name, name, length);
    *end = n;
    return 0;
}

sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        (void)va_arg(arguments, unsigned); /* the mode: there is one user */
        value = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    name = without_slash(name);
    int error = strlen(name) > NAME_MAX ? ENAMETOOLONG : *name ? 0 : EINVAL;
    struct named **at = NULL;
    lock_take(&lock);
    if (!error) {
        at = find(name);
        if (!*at)
            error = flags & O_CREAT ? make(at, name, value) : ENOENT;
        else if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
            error = EEXIST;
    }
    sem_t *found = error ? SEM_FAILED : &(*at)->semaphore;
    if (found)
        (*at)->opened++;
    lock_drop(&lock);
    if (error)
        errno = error;
    return found;
}

int sem_close(sem_t *semaphore)
{
    struct named **at = &first;
    lock_take(&lock);
    while (*at && (&(*at)->semaphore != semaphore || !(*at)->opened))
        at = &(*at)->next;
    bool found = *at;
    if (found) {
        (*at)->opened--;
        free_if_unused(at);
    }
    lock_drop(&lock);
    if (!found)
        errno = EINVAL;
    return found ? 0 : -1;
}

int sem_unlink(const char *name)
{
    name = without_slash(name);
    bool too_long = strlen(name) > NAME_MAX;
    lock_take(&lock);
    struct named **at = find(name);
    bool found = *at;
    if (found) {
        (*at)->unlinked = true;
        free_if_unused(at);
    }
    lock_drop(&lock);
    if (!found)
        errno = too_long ? ENAMETOOLONG : ENOENT;
    return found ? 0 : -1;
}
