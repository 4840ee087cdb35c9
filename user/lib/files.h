/* SPDX-License-Identifier: MIT */
/*
 * files.h - the open files of a process, by number. What a number means is a struct open_file, which dup() gives
 * several numbers, and whose kind says how it is read and written: the console (descriptors.c), a file or folder of the
 * process's own tree (files.c), which is user/files with the archive that the kernel has put into its memory, a device
 * of /dev (devices.c), an end of a pipe (pipe.c). Only open() and what else takes a path link the tree.
 *
 * One lock guards numbers, open files and tree. While a thread has it, or waits for it, its signals' handlers wait
 * (thread.h), so that a handler may open, read and write, too.
 *
 * A new kind is a table of functions and one call, files_open(), which gives what the kind keeps (`own`) a number;
 * read(), write(), readv(), fstat(), close(), dup(), fcntl(), poll(), select() and stdio work on it from then on. Calls
 * of its own, such as recv(), take the lock, look the number up by files_of(), compare `kind`, and hold the file while
 * they wait. A function of a kind that has to wait does it so, unless the file has O_NONBLOCK (then: -EAGAIN):
 *
 *     uint32_t seen = files_changes();
 *     while (nothing is there) {
 *         int error = files_wait(seen, AMALGAM_NEVER);
 *         if (error)
 *             return error;
 *         seen = files_changes();
 *     }
 *
 * and whoever brings something, with or without the lock, calls files_changed() afterwards. There is one such word for
 * all files, so that poll() waits on it, too; who is woken looks again whether the change was about its file.
 */
#ifndef AMALGAM_USER_FILES_H
#define AMALGAM_USER_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../files/fs.h"
#include "cpio.h"

#define MOST_OPEN 64 /* numbers */

extern struct cpio program_files; /* size 0: the process has no archive */

struct open_file;

/* Functions with the lock. Of a kind that is not seekable read() and write() may let go of it meanwhile: the file is
 * held. Results are negative errnos. NULL: -EINVAL; of poll: it never waits; of end: nothing is to be done. */
struct file_kind {
    bool seekable; /* it has a position, which read() and write() move; both are there, and keep the lock */
    bool terminal; /* isatty() */
    int64_t (*read)(struct open_file *f, uint64_t at, void *to, size_t n);
    /* *at becomes what is behind the last byte. */
    int64_t (*write)(struct open_file *f, uint64_t *at, const void *from, size_t n);
    int (*truncate)(struct open_file *f, uint64_t size);
    int (*describe)(const struct open_file *f, struct stat *s); /* never NULL. Returns 0 or an error */
    int (*sync)(struct open_file *f); /* NULL: what is written is there, of the tree; else -EINVAL */
    /* Returns those of POLLIN, POLLOUT, POLLERR and POLLHUP that hold now. */
    short (*poll)(struct open_file *f);
    /* Of a folder. As fs_next(); NULL: of the tree. */
    int (*next)(struct open_file *f, struct fs_place *place, struct fs_entry *entry);
    /* Its last number is closed, and no call uses it. The caller frees `f`. */
    void (*end)(struct open_file *f);
};

struct open_file {
    const struct file_kind *kind;
    struct fs_node *node; /* held; NULL: it is not of the tree */
    union {
        void *own;              /* the kind's */
        struct open_file *next; /* ended */
    };
    uint64_t position;
    uint32_t held; /* by its numbers, and by calls that use it without the lock */
    int flags;     /* O_ACCMODE, O_APPEND, O_NONBLOCK */
};

void files_enter(void);
void files_leave(void);

extern struct open_file *files_numbers[MOST_OPEN];
/* With the lock. Returns NULL if the number is not open. */
static inline struct open_file *files_of(int number)
{
    return number >= 0 && number < MOST_OPEN ? files_numbers[number] : NULL;
}
/* With the lock. Give an open file the lowest number that is free, from `least` on. Returns it, or -EMFILE. */
int files_number(struct open_file *f, int least);
/* With the lock. Take a number back that was given to a file which has not been opened. */
void files_forget(int number);
/* With the lock. One holder less; the last one ends and frees it. */
void files_drop(struct open_file *f);
/* With the lock. Make an open file, for files_begin(); NULL: no memory. */
struct open_file *files_make(void);
/* It has no number and no holder yet. */
static inline void files_begin(struct open_file *f, const struct file_kind *kind, void *own, int flags)
{
    f->kind = kind; /* one by one: gcc makes a loop of a whole record */
    f->node = NULL;
    f->own = own;
    f->position = 0;
    f->held = 0;
    f->flags = flags;
}
/* With the lock. End one that has got none. */
void files_unmake(struct open_file *f);
/* Without the lock. Give `own` a number. Returns it, or -EMFILE or -ENOMEM; then `own` is the caller's still. */
int files_open(const struct file_kind *kind, void *own, int flags);
/* The same of two at once, as pipe() has them: both, or none and no number was ever seen. Returns 0 or the error. */
int files_open_two(const struct file_kind *const kind[2], void *const own[2], const int flags[2], int number[2]);

/* What comes from outside the process (outside.h); NULL: nothing does. */
struct files_outside {
    uint32_t (*events)(void); /* how often it did */
    int64_t (*wait)(const uint32_t *word, uint32_t sum,
                    uint64_t deadline); /* amalgam_wait() while *word + events() == sum */
};
extern const struct files_outside *files_outside;

/* How often files_changed() was called, and something came from outside. */
uint32_t files_changes(void);
/* What some file's kind can do has changed: wake who waits. With or without the lock. */
void files_changed(void);
/* With the lock, which it lets go of: sleep until files_changes() is not `seen`. Returns 0, -EINTR: a handler ran,
 * -ETIMEDOUT: amalgam_clock() has reached `deadline`, or -ECANCELED, which goes up to files_result(). */
int files_wait(uint32_t seen, uint64_t deadline);
/* With the lock. What of poll()'s bits holds of a file. */
short files_ready(struct open_file *f);

/* Returns `result`, or -1 with errno if it is negative. -ECANCELED ends the thread. */
int64_t files_result(int64_t result);

/* The tree of another domain's, whose place in this one is struct fs.mount (p9/mount.c). With the lock; paths are those
 * that were left when -EXDEV was found. */
struct mount_calls {
    int (*open)(struct open_file *f, const char *path, int flags, mode_t mode);
    int (*describe)(const char *path, struct stat *s);
    int (*make_folder)(const char *path, mode_t mode);
    int (*remove)(const char *path, bool folder);
    int (*rename)(const char *old, const char *new);
    /* The working folder. go(): a folder of that path is it, from the tree's mount on. here(): as fs_path().
     * absolute(): make a path that begins there one that begins at the root, in memory that stays for two of them. */
    int (*go)(const char *path);
    int64_t (*here)(char *to, size_t n);
    int (*absolute)(const char **path);
};
/* NULL: there is none, and no error is -EXDEV. */
extern const struct mount_calls *files_mount;

extern mode_t files_umask;
/* files.c. With the lock: the process's tree, made at the first use; NULL: no memory. */
struct fs *files_tree(void);
/* Where a path begins: the folder with that number, or AT_FDCWD; the path may become another one. Returns 0, -EBADF,
 * -ENOTDIR, -ENOMEM or -ENAMETOOLONG. */
int files_from(int folder, const char **path, struct fs_node **from);
/* Find what a path leads to, or, without one (NULL), what has the number. Returns 0 with the node held, or an error. */
int files_find(int folder, const char *path, bool follows, struct fs_node **node);
void files_describe(const struct fs_node *node, struct stat *s);
/* What kinds have in common whose files are nodes of the tree. */
int files_describe_node(const struct open_file *f, struct stat *s);
void files_end_node(struct open_file *f);

/* descriptors.c: the console. It has input where a program is linked with tty.c. */
struct console_input {
    int64_t (*read)(struct open_file *f, void *to, size_t n);
    bool (*is_ready)(void);
};
extern const struct console_input *console_input;
int64_t console_read(struct open_file *f, uint64_t at, void *to, size_t n);
short console_poll(struct open_file *f);
int64_t console_text(struct open_file *f, uint64_t *at, const void *from, size_t n);
/* pipe.c: pipe2() that other processes can have ends of, for programs that start some; -ENOSYS: the kernel has none. */
extern int (*pipe_outside)(int ends[2], int flags);
/* devices.c: make /dev in a tree that has none. Returns 0 or -ENOMEM. */
int devices_make(struct fs *fs);
/* devices.c. Returns the kind of a device by its number (fs_stat.device); NULL: there is none. */
const struct file_kind *device_kind(uint32_t number);
#define DEVICE(major, minor) ((uint32_t)(major) << 8 | (minor)) /* as Linux numbers them, st_rdev */
#define DEVICE_CONSOLE       DEVICE(5, 1)

#endif
