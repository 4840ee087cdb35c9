/* SPDX-License-Identifier: MIT */
/*
 * files.c - uses the files of a file server (docs/servers.md), whose tree has the file `given`, "as it was given".
 *   files check      each call, rightly and wrongly; the server's quota is below 200 KiB
 *   files share N    with the programs of N clusters, from cluster 1 on: each reads what each has written
 *   files reads N    reads 4 KiB N times, beside:
 *   files faults     reads 4 KiB again and again, until another thread of it faults
 *   files rounds N   makes, writes, reads and removes N files, at a server that may die with what was under way
 *   files cost       measure between marks 1 and 2: 20 reads of 4 KiB
 */
#include <amalgam/clusters.h>
#include <nanvix/fs.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/thread.h>

#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/check.h"

#define SAMPLES 31
#define BATCH   20
#define LARGE   10001 /* three pieces, of which the last one is odd */
#define TEXT    "as it was given"

static char data[LARGE], back[LARGE + 1];

static void fill(unsigned seed)
{
    for (unsigned i = 0; i < LARGE; i++)
        data[i] = (char)((i * 2654435761u + seed * 40503u) >> 13);
}

/* The server may not be there yet. */
static int open_first(const char *path, int flags)
{
    int fd;
    while ((fd = nanvix_vfs_open(path, flags, 0644)) == -EAGAIN)
        kthread_yield();
    return fd;
}

static bool is_same(int fd, size_t n)
{
    return nanvix_vfs_seek(fd, 0, SEEK_SET) == 0 && nanvix_vfs_read(fd, back, LARGE + 1) == (ssize_t)n &&
           !umemcmp(data, back, n);
}

/* --- check -------------------------------------------------------------------------------------------------------- */

static void check_given(void)
{
    struct nanvix_stat s;
    int fd = open_first("given", O_RDONLY), other = nanvix_vfs_open("//given", O_WRONLY);
    MUST(fd >= 0 && other >= 0 && fd != other);
    MUST(nanvix_vfs_read(fd, back, 5) == 5 && !umemcmp(back, TEXT, 5));
    MUST(nanvix_vfs_read(fd, back, 1000) == (ssize_t)sizeof(TEXT) - 1 - 5 &&
         !umemcmp(back, TEXT + 5, sizeof(TEXT) - 6));
    MUST(nanvix_vfs_read(fd, back, 1000) == 0 && nanvix_vfs_read(fd, back, 0) == 0);
    MUST(nanvix_vfs_write(fd, back, 1) == -EBADF && nanvix_vfs_read(other, back, 1) == -EBADF);
    MUST(nanvix_vfs_stat("given", &s) == 0 && s.st_size == sizeof(TEXT) - 1 && S_ISREG(s.st_mode));
    MUST(nanvix_vfs_stat("/", &s) == 0 && S_ISDIR(s.st_mode));
    MUST(nanvix_vfs_close(fd) == 0 && nanvix_vfs_close(other) == 0 && nanvix_vfs_close(fd) == -EBADF);
}

static void check_contents(void)
{
    int fd = nanvix_vfs_open("large", O_RDWR | O_CREAT | O_EXCL, 0600);
    struct nanvix_stat s;
    fill(1);
    MUST(fd >= 0 && nanvix_vfs_write(fd, data, LARGE) == LARGE && is_same(fd, LARGE));
    MUST(nanvix_vfs_open("large", O_RDWR | O_CREAT | O_EXCL, 0600) == -EEXIST);
    MUST(nanvix_vfs_seek(fd, -1, SEEK_END) == LARGE - 1 && nanvix_vfs_seek(fd, -1, SEEK_CUR) == LARGE - 2);
    MUST(nanvix_vfs_seek(fd, -1, SEEK_SET) == -EINVAL && nanvix_vfs_seek(fd, 0, 3) == -EINVAL);
    MUST(nanvix_vfs_read(fd, back, 10) == 2 && back[1] == data[LARGE - 1]);
    int end = nanvix_vfs_open("large", O_WRONLY | O_APPEND);
    MUST(end >= 0 && nanvix_vfs_write(end, data, 3) == 3 && nanvix_vfs_seek(end, 0, SEEK_CUR) == LARGE + 3);
    MUST(nanvix_vfs_close(end) == 0 && nanvix_vfs_stat("large", &s) == 0 && s.st_size == LARGE + 3);
    MUST(nanvix_vfs_seek(fd, 1 << 20, SEEK_SET) == 1 << 20 && nanvix_vfs_write(fd, data, 1) == 1); /* a hole */
    MUST(nanvix_vfs_seek(fd, 1 << 19, SEEK_SET) == 1 << 19 && nanvix_vfs_read(fd, back, 100) == 100 && !back[99]);
    const off_t most = (off_t)(~0ul >> 1);
    MUST(nanvix_vfs_seek(fd, most, SEEK_SET) == most && nanvix_vfs_write(fd, data, 1) == -EFBIG);
    MUST(nanvix_vfs_read(fd, back, 1) == -EFBIG && nanvix_vfs_seek(fd, 0, SEEK_SET) == 0);
    MUST((end = nanvix_vfs_open("large", O_RDWR | O_TRUNC)) >= 0 && nanvix_vfs_read(fd, back, 1) == 0);
    ssize_t done;
    size_t all = 0;
    while ((done = nanvix_vfs_write(end, data, LARGE)) > 0)
        all += (size_t)done;
    MUST(done == -ENOSPC && all > 20000 && all < 200000); /* this cluster has its quota */
    MUST(nanvix_vfs_close(end) == 0 && nanvix_vfs_unlink("large") == 0 && nanvix_vfs_close(fd) == 0);
}

static void check_names(void)
{
    struct nanvix_stat s;
    int fds[NANVIX_NR_FILES + 1], n = 0;
    MUST(nanvix_vfs_mkdir("one", 0755) == 0 && nanvix_vfs_mkdir("one", 0755) == -EEXIST);
    MUST(nanvix_vfs_mkdir("one/two", 0755) == 0 && nanvix_vfs_mkdir("/", 0755) == -EEXIST);
    MUST((fds[0] = nanvix_vfs_open("one/two/file", O_WRONLY | O_CREAT, 0644)) >= 0);
    MUST(nanvix_vfs_close(fds[0]) == 0 && nanvix_vfs_stat("one/two/../two/file", &s) == 0 && s.st_size == 0);
    MUST(nanvix_vfs_rmdir("one/two") == -ENOTEMPTY && nanvix_vfs_unlink("one/two") == -EISDIR);
    MUST(nanvix_vfs_rmdir("one/two/file") == -ENOTDIR && nanvix_vfs_unlink("one/two/file") == 0);
    MUST(nanvix_vfs_rmdir("one/two") == 0 && nanvix_vfs_rmdir("one") == 0 && nanvix_vfs_stat("one", &s) == -ENOENT);
    while ((fds[n] = nanvix_vfs_open("given", O_RDONLY)) >= 0)
        n++;
    MUST(fds[n] == -EMFILE && n == NANVIX_NR_FILES);
    while (n--)
        MUST(nanvix_vfs_close(fds[n]) == 0);
}

static void check_wrong(void)
{
    static const char longest[] = "123456789012345678901234567890123456789012345678";
    struct nanvix_stat s;
    MUST(nanvix_vfs_open(NULL, O_RDONLY) == -EINVAL && nanvix_vfs_open("", O_RDONLY) == -EINVAL);
    MUST(nanvix_vfs_open("given", O_ACCMODE) == -EINVAL && nanvix_vfs_open("new", O_WRONLY | O_CREAT, 0) == -EINVAL);
    MUST(nanvix_vfs_open(longest, O_RDONLY) == -ENAMETOOLONG && nanvix_vfs_open(longest + 1, O_RDONLY) == -ENOENT);
    MUST(nanvix_vfs_open("/", O_WRONLY) == -EISDIR && nanvix_vfs_open("/", O_WRONLY | O_CREAT, 0644) == -EISDIR);
    MUST(nanvix_vfs_open("nothing/new", O_WRONLY | O_CREAT, 0644) == -ENOENT);
    MUST(nanvix_vfs_stat("given", NULL) == -EINVAL && nanvix_vfs_stat(NULL, &s) == -EINVAL);
    MUST(nanvix_vfs_unlink("/") == -EINVAL && nanvix_vfs_unlink("") == -ENOENT && nanvix_vfs_unlink(NULL) == -EINVAL);
    MUST(nanvix_vfs_close(-1) == -EINVAL && nanvix_vfs_close(NANVIX_NR_FILES) == -EINVAL);
    MUST(nanvix_vfs_read(0, back, 1) == -EBADF && nanvix_vfs_seek(0, 0, SEEK_SET) == -EBADF);
}

/* --- share -------------------------------------------------------------------------------------------------------- */

static const char *name_of(const char *what, unsigned n, unsigned more)
{
    static char name[NANVIX_NAME_MAX];
    usnprintf(name, sizeof(name), "%s%d-%d", what, (int)n, (int)more);
    return name;
}

static void make(const char *name, size_t n)
{
    int fd = open_first(name, O_WRONLY | O_CREAT | O_EXCL);
    MUST(fd >= 0 && nanvix_vfs_write(fd, data, n) == (ssize_t)n && nanvix_vfs_close(fd) == 0);
}

static void wait_for(const char *name, off_t size)
{
    struct nanvix_stat s;
    while (nanvix_vfs_stat(name, &s) != 0 || s.st_size < size)
        kthread_yield();
}

static void share(unsigned clusters)
{
    unsigned own = (unsigned)knode_get_num();
    fill(own);
    make(name_of("from", own, 0), LARGE);
    for (unsigned other = 1; other <= clusters; other++) {
        fill(other);
        wait_for(name_of("from", other, 0), LARGE);
        int fd = nanvix_vfs_open(name_of("from", other, 0), O_RDONLY);
        MUST(fd >= 0 && is_same(fd, LARGE) && nanvix_vfs_close(fd) == 0);
    }
    make(name_of("seen", own, 0), 0);
    for (unsigned other = 1; other <= clusters; other++)
        wait_for(name_of("seen", other, 0), 0);
    MUST(nanvix_vfs_unlink(name_of("from", own, 0)) == 0);
    uprintf("files: cluster %d has read what %d have written", (int)own, (int)clusters);
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

/* Returns 0, or -EIO: the server was lost. Anything else is wrong. */
static int carry_out(const char *name)
{
    struct nanvix_stat s;
    int fd = open_first(name, O_RDWR | O_CREAT | O_EXCL);
    if (fd == -EIO)
        return fd;
    MUST(fd >= 0); /* EEXIST, if it was made twice */
    ssize_t done = nanvix_vfs_write(fd, data, LARGE / 2);
    bool lost = done == -EIO;
    MUST(lost || done == LARGE / 2 || done == 4096); /* a later piece may have been lost */
    lost |= done == 4096;
    if (!lost) {
        lost = nanvix_vfs_seek(fd, 0, SEEK_SET) != 0;
        done = nanvix_vfs_read(fd, back, LARGE);
        lost |= done == -EIO || done == 4096;
        MUST(lost || (done == LARGE / 2 && !umemcmp(data, back, LARGE / 2)));
    }
    int error = nanvix_vfs_close(fd);
    MUST(error == 0 || error == -EIO);
    if (lost || error)
        return -EIO;
    error = nanvix_vfs_unlink(name);
    MUST(error == 0 || error == -EIO); /* ENOENT, if it was removed twice */
    if (error)
        return error;
    while ((error = nanvix_vfs_stat(name, &s)) == -EAGAIN)
        kthread_yield();
    MUST(error == -ENOENT || error == -EIO);
    return error == -EIO ? error : 0;
}

static void rounds(unsigned n)
{
    unsigned done = 0, lost = 0, own = (unsigned)knode_get_num();
    fill(own);
    for (unsigned i = 0; i < n; i++) {
        int error = carry_out(name_of("round", own, i));
        done += !error;
        lost += error == -EIO;
    }
    uprintf("files: %d done, %d lost", (int)done, (int)lost);
}

/* --- reads -------------------------------------------------------------------------------------------------------- */

static void *fault(void *arg)
{
    UNUSED(arg);
    for (unsigned i = (unsigned)(amalgam_clock() / 1000 % 64); i > 0; i--)
        kthread_yield();
    __builtin_trap();
}

static void read_pages(const char *name, unsigned n, bool faults)
{
    kthread_t tid;
    int fd = open_first(name, O_RDWR | O_CREAT);
    fill(4);
    MUST(fd >= 0 && nanvix_vfs_write(fd, data, 4096) == 4096);
    MUST(!faults || kthread_create(&tid, fault, NULL) == 0);
    for (unsigned i = 0; i < n; i++) {
        MUST(nanvix_vfs_seek(fd, 0, SEEK_SET) == 0 && nanvix_vfs_read(fd, back, 4096) == 4096);
        MUST(!umemcmp(data, back, 4096));
    }
    uprintf("files: %d reads", (int)n);
}

/* --- cost --------------------------------------------------------------------------------------------------------- */

static void measure(void)
{
    int fd = open_first("cost", O_RDWR | O_CREAT);
    fill(3);
    MUST(fd >= 0 && nanvix_vfs_write(fd, data, 4096) == 4096);
    for (int i = 0; i < SAMPLES; i++) {
        MARK(1);
        for (int k = 0; k < BATCH; k++)
            MUST(nanvix_vfs_seek(fd, 0, SEEK_SET) == 0 && nanvix_vfs_read(fd, back, 4096) == 4096);
        MARK(2);
    }
    MUST(!umemcmp(data, back, 4096));
}

void ___start(int argc, const char *argv[], char **envp)
{
    const char *what = argc > 1 ? argv[1] : "check";
    unsigned n = 0;
    UNUSED(envp);
    knoc_init();
    for (const char *p = argc > 2 ? argv[2] : ""; *p; p++)
        n = n * 10 + (unsigned)(*p - '0');
    if (!ustrcmp(what, "cost")) {
        measure();
    } else if (!ustrcmp(what, "share")) {
        share(n);
    } else if (!ustrcmp(what, "reads")) {
        read_pages("reads", n, false);
    } else if (!ustrcmp(what, "faults")) {
        read_pages("faults", ~0u, true);
    } else if (!ustrcmp(what, "rounds")) {
        rounds(n);
    } else {
        check_given();
        check_contents();
        check_names();
        check_wrong();
        uprintf("files: right");
    }
}
