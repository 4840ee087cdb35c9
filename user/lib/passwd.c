/* SPDX-License-Identifier: MIT */
/* passwd.c - the one user, root, whose home is "/"; and pathconf(). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

static struct passwd root = { .pw_name = "root", .pw_passwd = "", .pw_gecos = "", .pw_dir = "/", .pw_shell = "" };

struct passwd *getpwuid(uid_t user) { return user == 0 ? &root : NULL; }
struct passwd *getpwnam(const char *name) { return strcmp(name, root.pw_name) == 0 ? &root : NULL; }

/* Its strings need no memory of the caller. */
static int give(const struct passwd *found, struct passwd *to, struct passwd **result)
{
    *result = found ? to : NULL;
    if (found)
        *to = *found;
    return 0;
}

int getpwuid_r(uid_t user, struct passwd *to, char *text, size_t n, struct passwd **result)
{
    (void)text, (void)n;
    return give(getpwuid(user), to, result);
}

int getpwnam_r(const char *name, struct passwd *to, char *text, size_t n, struct passwd **result)
{
    (void)text, (void)n;
    return give(getpwnam(name), to, result);
}

static long limit(int name)
{
    switch (name) {
    case _PC_LINK_MAX: return INT_MAX;
    case _PC_NAME_MAX: return FS_NAME_MAX;
    case _PC_PATH_MAX: return FS_PATH_MAX;
    case _PC_SYMLINK_MAX: return FS_PATH_MAX - 1;
    case _PC_PIPE_BUF: return PIPE_BUF;
    case _PC_NO_TRUNC:
    case _PC_CHOWN_RESTRICTED:
    case _PC_SYNC_IO: return 1;
    case _PC_FILESIZEBITS: return 64;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT:
    case _PC_VDISABLE:
    case _PC_ASYNC_IO:
    case _PC_PRIO_IO: return -1;
    default: errno = EINVAL; return -1;
    }
}

long pathconf(const char *path, int name) { return access(path, F_OK) ? -1 : limit(name); }
long fpathconf(int number, int name) { return fcntl(number, F_GETFL) < 0 ? -1 : limit(name); }
