/* SPDX-License-Identifier: MIT */
/*
 * files.h - the open files of a process, by number. What a number means is a struct open_file, which dup() gives
 * several numbers, and whose kind says how it is read and written: the console (descriptors.c), or a file or folder of
 * the process's own tree (files.c), which is user/files with the archive that the kernel has put into its memory. Only
 * open() and what else takes a path link that.
 *
 * One lock guards numbers, open files and tree. While a thread has it, or waits for it, its signals' handlers wait
 * (thread.h), so that a handler may open, read and write, too.
 */
#ifndef AMALGAM_USER_FILES_H
#define AMALGAM_USER_FILES_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../files/fs.h"
#include "cpio.h"

#define MOST_OPEN 64 /* numbers */

extern struct cpio program_files; /* size 0: the process has no archive */

struct open_file;

/* Functions with the lock, which may let go of it meanwhile. Results are negative errnos. */
struct file_kind {
    bool seekable;
    int64_t (*read)(struct open_file *f, uint64_t at, void *to, size_t n);
    /* *at becomes what is behind the last byte. */
    int64_t (*write)(struct open_file *f, uint64_t *at, const void *from, size_t n);
    int (*truncate)(struct open_file *f, uint64_t size);
    void (*describe)(const struct open_file *f, struct stat *s);
    void (*end)(struct open_file *f);
};

struct open_file {
    const struct file_kind *kind;
    union {
        struct fs_node *node;
        struct open_file *next; /* ended */
    };
    uint64_t position;
    uint32_t held; /* by its numbers, and by calls that use it without the lock */
    int flags;     /* O_ACCMODE, O_APPEND */
};

void files_enter(void);
void files_leave(void);

/* With the lock. Returns NULL if the number is not open. */
struct open_file *files_of(int number);
/* With the lock. Give an open file the lowest number that is free, from `least` on. Returns it, or -EMFILE. */
int files_number(struct open_file *f, int least);
/* With the lock. Take a number back that was given to a file which has not been opened. */
void files_forget(int number);
/* With the lock. One holder less; the last one ends it. */
void files_drop(struct open_file *f);

/* Returns `result`, or -1 with errno if it is negative. */
int64_t files_result(int64_t result);

extern mode_t files_umask;
/* files.c. With the lock: the process's tree, made at the first use; NULL: no memory. */
struct fs *files_tree(void);
/* Where a path begins: the folder with that number, or AT_FDCWD. Returns 0, -EBADF, -ENOTDIR or -ENOMEM. */
int files_from(int folder, const char *path, struct fs_node **from);
/* Find what a path leads to, or, without one (NULL), what has the number. Returns 0 with the node held, or an error. */
int files_find(int folder, const char *path, bool follows, struct fs_node **node);
void files_describe(const struct fs_node *node, struct stat *s);

#endif
