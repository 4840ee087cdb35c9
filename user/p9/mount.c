/* SPDX-License-Identifier: MIT */
/* mount.c - a server's tree in the process's: amalgam/mount.h. All but amalgam_mount() is called with the lock. */
#include <amalgam/mount.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "client.h"
#include "place.h"

static struct p9_client client;

/* --- files that are open ----------------------------------------------------------------------------------------- */

static int64_t mounted_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    return p9_client_read(&client, f->own, at, to, n);
}

static int64_t mounted_write(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    struct stat s;
    if (f->flags & O_APPEND && !p9_client_fstat(&client, f->own, &s))
        *at = (uint64_t)s.st_size; /* where the server puts it, if nobody else writes there */
    int64_t done = p9_client_write(&client, f->own, *at, from, n);
    *at += done > 0 ? (uint64_t)done : 0;
    return done;
}

static int mounted_truncate(struct open_file *f, uint64_t size) { return p9_client_truncate(&client, f->own, size); }

static int mounted_sync(struct open_file *f) { return p9_client_sync(&client, f->own); }

static int mounted_describe(const struct open_file *f, struct stat *s) { return p9_client_fstat(&client, f->own, s); }

/* One entry a question: who reads folders often reads a tree of his own. */
static int mounted_next(struct open_file *f, struct fs_place *place, struct fs_entry *entry)
{
    uint8_t data[24 + FS_NAME_MAX];
    int64_t n = p9_client_readdir(&client, f->own, place->number, data, sizeof data);
    struct p9_cursor in = { data, n > 0 ? (size_t)n : 0, false };
    if (n <= 0)
        return (int)n;
    p9_bytes(&in, 5);
    entry->number = (uint32_t)p9_u64(&in);
    place->number = p9_u64(&in);
    entry->mode = (uint32_t)p9_u8(&in) << 12;
    p9_text(&in, entry->name, sizeof entry->name);
    return in.bad ? -EIO : 1;
}

static void mounted_end(struct open_file *f)
{
    p9_client_close(&client, f->own);
    free(f->own);
}

static const struct file_kind mounted = { .seekable = true,
                                          .read = mounted_read,
                                          .write = mounted_write,
                                          .truncate = mounted_truncate,
                                          .describe = mounted_describe,
                                          .sync = mounted_sync,
                                          .next = mounted_next,
                                          .end = mounted_end };

/* --- paths ------------------------------------------------------------------------------------------------------- */

static int open_path(struct open_file *f, const char *path, int flags, mode_t mode)
{
    struct p9_file *file = malloc(sizeof *file);
    int error = file ? p9_client_open(&client, path, flags, mode, file) : -ENOMEM;
    if (error) {
        free(file);
        return error;
    }
    f->own = file;
    f->kind = &mounted;
    return 0;
}

static int describe_path(const char *path, struct stat *s) { return p9_client_stat(&client, path, s); }
static int make_folder(const char *path, mode_t mode) { return p9_client_mkdir(&client, path, mode); }
static int remove_path(const char *path, bool folder) { return p9_client_unlink(&client, path, folder); }
static int rename_path(const char *old, const char *new) { return p9_client_rename(&client, old, new); }

static const struct mount_calls calls = { open_path,   describe_path, make_folder, remove_path,
                                          rename_path, place_go,      place_here,  place_absolute };

static int begin(void *index) { return p9_client_begin(&client, *(uint32_t *)index); }

/* The server sees a client that stays. */
int amalgam_mount(uint32_t index, const char *path) { return place_mount(path, &calls, begin, &index); }
