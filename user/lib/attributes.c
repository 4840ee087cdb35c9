/* SPDX-License-Identifier: MIT */
/* attributes.c - modes and times of files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "clock.h"
#include "files.h"

mode_t umask(mode_t mask)
{
    files_enter();
    mode_t before = files_umask;
    files_umask = mask & 0777;
    files_leave();
    return before;
}

/* `path` NULL: of what has the number `folder`. */
static int set_mode(int folder, const char *path, mode_t mode, int flags)
{
    struct fs_node *node;
    struct fs_stat s;
    files_enter();
    int error = files_find(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &node);
    if (!error) {
        fs_describe(node, &s);
        error = S_ISLNK(s.mode) ? -EOPNOTSUPP : 0;
        if (!error)
            fs_set_mode(files_tree(), node, mode);
        fs_release(node);
    }
    files_leave();
    return (int)files_result(error);
}

int fchmodat(int folder, const char *path, mode_t mode, int flags) { return set_mode(folder, path, mode, flags); }
int chmod(const char *path, mode_t mode) { return set_mode(AT_FDCWD, path, mode, 0); }
int fchmod(int number, mode_t mode) { return set_mode(number, NULL, mode, 0); }

static bool is_time(const struct timespec *t)
{
    return t->tv_nsec == UTIME_NOW || t->tv_nsec == UTIME_OMIT ||
           (t->tv_sec >= 0 && t->tv_nsec >= 0 && (uint64_t)t->tv_nsec < NS_PER_S &&
            (uint64_t)t->tv_sec < FS_OMIT / NS_PER_S);
}

static uint64_t nanoseconds(const struct timespec *t)
{
    if (t->tv_nsec == UTIME_NOW || t->tv_nsec == UTIME_OMIT)
        return t->tv_nsec == UTIME_NOW ? FS_NOW : FS_OMIT;
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static int set_times(int folder, const char *path, const struct timespec time[2], int flags)
{
    struct fs_node *node;
    files_enter();
    int error = time && !(is_time(&time[0]) && is_time(&time[1]))
                    ? -EINVAL
                    : files_find(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &node);
    if (!error) {
        fs_set_times(files_tree(), node, time ? nanoseconds(&time[0]) : FS_NOW, time ? nanoseconds(&time[1]) : FS_NOW);
        fs_release(node);
    }
    files_leave();
    return (int)files_result(error);
}

int utimensat(int folder, const char *path, const struct timespec time[2], int flags)
{
    return set_times(folder, path, time, flags);
}

int futimens(int number, const struct timespec time[2]) { return set_times(number, NULL, time, 0); }

int utimes(const char *path, const struct timeval time[2])
{
    if (!time)
        return set_times(AT_FDCWD, path, NULL, 0);
    struct timespec fine[2];
    for (unsigned i = 0; i < 2; i++)
        fine[i] = (struct timespec){ time[i].tv_sec, (long)time[i].tv_usec * 1000 };
    return set_times(AT_FDCWD, path, fine, 0);
}

int utime(const char *path, const struct utimbuf *time)
{
    if (!time)
        return set_times(AT_FDCWD, path, NULL, 0);
    return set_times(AT_FDCWD, path, (struct timespec[]){ { .tv_sec = time->actime }, { .tv_sec = time->modtime } }, 0);
}
