/* SPDX-License-Identifier: MIT */
/*
 * fs.h - an inode file system in memory: files with holes, folders, symbolic and hard links, times. It is plain C
 * on malloc() and knows no process, so that a program may have one in itself (user/lib/files.c) and a server one for
 * several clients. What a tree begins with is an archive, whose contents stay where they are until they are changed.
 *
 * No function takes a lock: the caller has one for each struct fs. Results are 0 or a count, or a negative errno, in
 * the order in which Linux' tmpfs finds them. The caller is root: permissions are kept, and hinder nobody.
 */
#ifndef AMALGAM_FS_H
#define AMALGAM_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FS_NAME_MAX 255u  /* bytes of one name */
#define FS_PATH_MAX 4096u /* bytes of a path with its end */
#define FS_LINKS    40u   /* symbolic links that are followed in one path */
#define FS_NOW      UINT64_MAX
#define FS_OMIT     (UINT64_MAX - 1)

struct cpio;
struct fs_node;

/* Memory that somebody's files, names and links take, in bytes, and the most that they may. Who makes a file pays for
 * its contents until it ends, whoever writes them. */
struct fs_account {
    uint64_t used, most;
};

struct fs {
    struct fs_node *root;
    uint64_t (*now)(void);    /* nanoseconds since 1970 */
    struct fs_account *payer; /* of what is made from now on; NULL: nobody counts. It outlives what it has paid for */
    uint32_t last_number;     /* of an inode */
    struct fs_node *mount; /* held: a folder below which another tree is, which is not this one's affair; NULL: none */
    const char *rest;      /* of a path that led there (-EXDEV), from there on */
};

struct fs_stat {
    uint32_t number, mode, links, device; /* of a character device: its number, major << 8 | minor */
    uint64_t size, blocks;                /* bytes; pieces of 512 bytes that take memory */
    uint64_t atime, mtime, ctime;
};

/* Make a tree of an archive's entries; NULL: an empty one. An entry that has no name that a path could have, or whose
 * folder is a file, is left out. Returns 0 or -ENOMEM, with nothing made. */
int fs_begin(struct fs *fs, const struct cpio *archive, uint64_t (*now)(void));
/* Free all. No node is held. */
void fs_end(struct fs *fs);

/* Hold a node: it stays when its last name is removed. */
struct fs_node *fs_hold(struct fs_node *node);
void fs_release(struct fs_node *node);

/*
 * Paths begin at the root if they begin with a slash, else at `from`. -ENOENT: there is nothing of the name, or the
 * path is empty; -ENOTDIR: what is not the last name is no folder, or a slash follows a file; -ENAMETOOLONG; -ELOOP;
 * -EXDEV: it leads to the mount; -ENOMEM and -ENOSPC: there is no memory, or no more for the one who pays.
 */
enum fs_flags {
    FS_FOLLOW = 1,    /* a symbolic link at the path's end is followed */
    FS_CREATE = 2,    /* a file is made if there is none */
    FS_EXCLUSIVE = 4, /* with FS_CREATE: -EEXIST if there is one */
    FS_WRITE = 8,     /* -EISDIR if it is a folder */
    FS_TRUNCATE = 16,
    FS_FOLDER = 32, /* -ENOTDIR if it is none */
};
/* Returns what is left of a path from the mount on, until the next look; NULL: it does not lead there. */
const char *fs_rest(struct fs *fs, struct fs_node *from, const char *path);
/* Returns the node, held; FS_FOLLOW is the only flag. */
int fs_find(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, struct fs_node **node);
/* Returns the node, held; what a character device is, the caller knows. -ELOOP: it is a symbolic link; -ENXIO: neither
 * a file, a folder nor such a device. */
int fs_open(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, unsigned mode,
            struct fs_node **node);
int fs_make_folder(struct fs *fs, struct fs_node *from, const char *path, unsigned mode);
int fs_make_symlink(struct fs *fs, const char *target, struct fs_node *from, const char *path);
/* Make a character device. */
int fs_make_device(struct fs *fs, struct fs_node *from, const char *path, unsigned mode, uint32_t number);
/* FS_FOLLOW: of `old`. -EPERM: it is a folder. */
int fs_link(struct fs *fs, struct fs_node *from_old, const char *old, unsigned flags, struct fs_node *from_new,
            const char *new);
/* The same of a node that is held. -ENOENT: it has lost its last name. */
int fs_link_node(struct fs *fs, struct fs_node *node, struct fs_node *from, const char *path);
/* -EISDIR, -EBUSY, -EINVAL (it ends with "."), -ENOTEMPTY. */
int fs_unlink(struct fs *fs, struct fs_node *from, const char *path);
int fs_remove_folder(struct fs *fs, struct fs_node *from, const char *path);
/* -EINVAL: into itself; else as the two above. */
int fs_rename(struct fs *fs, struct fs_node *from_old, const char *old, struct fs_node *from_new, const char *new);

bool fs_is_folder(const struct fs_node *node);
/* Returns the number of a character device, which is not 0, or 0: it is none. */
uint32_t fs_device(const struct fs_node *node);
void fs_describe(const struct fs_node *node, struct fs_stat *s);
void fs_set_mode(struct fs *fs, struct fs_node *node, unsigned mode);
/* Nanoseconds since 1970, FS_NOW or FS_OMIT. */
void fs_set_times(struct fs *fs, struct fs_node *node, uint64_t atime, uint64_t mtime);
/* Copy at most n bytes of a link's target. Returns how many; -EINVAL: it is no link. */
int64_t fs_read_link(const struct fs_node *node, char *to, size_t n);

/* Returns how many bytes were copied, fewer at the end. -EISDIR. */
int64_t fs_read(struct fs *fs, struct fs_node *node, uint64_t at, void *to, size_t n);
/* Returns how many bytes were written, fewer if the memory is at its end. -ENOSPC: none; -EFBIG. */
int64_t fs_write(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n);
/* -EISDIR; -EINVAL: it is no file; -EFBIG. */
int fs_truncate(struct fs *fs, struct fs_node *node, uint64_t size);

/* A place between a folder's entries. What is added or removed meanwhile is found or not, all others once. */
struct fs_place {
    uint64_t number; /* of the entry before; 0: at the begin, "." is next */
};
struct fs_entry {
    uint32_t number, mode;
    char name[FS_NAME_MAX + 1];
};
/* Returns 1, or 0 at the end, or -ENOENT if the folder has been removed. */
int fs_next(struct fs *fs, struct fs_node *folder, struct fs_place *place, struct fs_entry *entry);
/* The same of what a path leads to, which has to be there, with no links, "." and ".." in it. */
int64_t fs_real_path(struct fs *fs, struct fs_node *from, const char *path, char *to, size_t n);
/* Write a folder's path. Returns its length without the NUL, -ERANGE, or -ENOENT if it has been removed. */
int64_t fs_path(struct fs *fs, const struct fs_node *folder, char *to, size_t n);

#endif
