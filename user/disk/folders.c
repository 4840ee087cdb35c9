/* SPDX-License-Identifier: MIT */
/* folders.c - what changes the folders of a littlefs, and reads them: tree.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tree.h"

#define ENTRIES_MOST (AMALGAM_DISK_BLOCK / 8) /* of a block: each takes two words at least */

int disk_make_folder(struct fs *fs, struct fs_node *from, const char *name, unsigned mode)
{
    struct disk_tree *t = disk_tree(fs);
    struct disk_attributes is = { .mode = S_IFDIR | (mode & 07777) };
    char path[PATH_MOST];
    int error = disk_path(disk_node(from), name, path);
    disk_bound(t);
    if (!error)
        error = (int)disk_error(lfs_mkdir(t->lfs, path));
    if (!error && (mode & 07777) != FOLDER_MODE)
        error = (int)disk_error(lfs_setattr(t->lfs, path, ATTRIBUTES, &is, sizeof is));
    return error;
}

/* --- names that go ----------------------------------------------------------------------------------------------- */

static int remove_name(struct fs *fs, struct fs_node *from, const char *name, bool folder)
{
    struct disk_tree *t = disk_tree(fs);
    struct disk_node *n;
    char path[PATH_MOST];
    int error = disk_path(disk_node(from), name, path);
    if (!error)
        error = disk_find(t, path, &n);
    if (error)
        return error;
    if (n->folder != folder)
        error = folder ? -ENOTDIR : -EISDIR;
    else if (n->opened && !folder)
        error = -EBUSY;
    if (!error) {
        disk_read_no_more(n);
        error = disk_close(n);
    }
    disk_bound(t);
    if (!error)
        error = (int)disk_error(lfs_remove(t->lfs, path));
    n->gone |= !error;
    disk_tree_calls.release((struct fs_node *)n);
    return error;
}

int disk_unlink(struct fs *fs, struct fs_node *from, const char *name) { return remove_name(fs, from, name, false); }
int disk_remove_folder(struct fs *fs, struct fs_node *from, const char *name)
{
    return remove_name(fs, from, name, true);
}

/* --- other names ------------------------------------------------------------------------------------------------- */

/* Returns what follows `above` in a path that is that or below it, or NULL. */
static const char *below(const char *path, const char *above)
{
    size_t n = strlen(above);
    return !strncmp(path, above, n) && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

/* Returns whether all that is known at `old` and below it has room for its path at `new`, and can let go of its record:
 * littlefs finds it by its path. */
static int may_move(struct disk_tree *t, const char *old, const char *new)
{
    int error = 0;
    for (struct disk_node *n = t->nodes; n && !error; n = n->next) {
        const char *rest = n->gone ? NULL : below(n->path, old);
        if (rest && strlen(new) + strlen(rest) >= PATH_MOST)
            error = -ENAMETOOLONG;
        else if (rest)
            disk_read_no_more(n), error = disk_close(n);
    }
    return error;
}

static void move(struct disk_tree *t, const char *old, const char *new)
{
    char path[PATH_MOST];
    for (struct disk_node *n = t->nodes; n; n = n->next) {
        const char *rest = n->gone ? NULL : below(n->path, old);
        if (!rest)
            continue;
        strcpy(path, new);
        strcat(path, rest);
        strcpy(n->path, path);
    }
}

/* Returns 0 if nobody has open what `new` replaces; *replaced is that, held, or NULL. */
static int may_replace(struct disk_tree *t, const struct disk_node *old, const char *new, struct disk_node **replaced)
{
    int error = disk_find(t, new, replaced);
    if (error) {
        *replaced = NULL;
        return error == -ENOENT ? 0 : error;
    }
    if (below(old->path, new))
        return -ENOTEMPTY;
    if (old->folder != (*replaced)->folder)
        return old->folder ? -ENOTDIR : -EISDIR;
    if (!(*replaced)->folder && (*replaced)->opened)
        return -EBUSY;
    disk_read_no_more(*replaced);
    return disk_close(*replaced);
}

static int rename_to(struct disk_tree *t, const struct disk_node *node, const char *new)
{
    char old[PATH_MOST];
    struct disk_node *replaced = NULL;
    strcpy(old, node->path);
    int error = may_replace(t, node, new, &replaced);
    if (!error)
        error = may_move(t, old, new);
    disk_bound(t);
    if (!error)
        error = (int)disk_error(lfs_rename(t->lfs, old, new));
    if (!error && replaced)
        replaced->gone = true;
    if (!error)
        move(t, old, new);
    if (replaced)
        disk_tree_calls.release((struct fs_node *)replaced);
    return error;
}

int disk_rename(struct fs *fs, struct fs_node *from_old, const char *old, struct fs_node *from_new, const char *new)
{
    struct disk_tree *t = disk_tree(fs);
    struct disk_node *node;
    char from[PATH_MOST], to[PATH_MOST];
    int error = disk_path(disk_node(from_old), old, from);
    if (!error)
        error = disk_path(disk_node(from_new), new, to);
    if (!error)
        error = disk_find(t, from, &node);
    if (error)
        return error;
    if (strcmp(from, to) != 0)
        error = node->folder && below(to, from) ? -EINVAL : rename_to(t, node, to);
    disk_tree_calls.release((struct fs_node *)node);
    return error;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

void disk_read_no_more(struct disk_node *n)
{
    if (n->reads)
        lfs_dir_close(n->tree->lfs, n->reads); /* it has written nothing: this cannot fail */
    free(n->reads);
    n->reads = NULL;
    n->place = 0;
}

static int begin_reading(struct disk_node *n)
{
    disk_read_no_more(n);
    n->reads = calloc(1, sizeof *n->reads);
    if (!n->reads)
        return -ENOMEM;
    int error = (int)disk_error(lfs_dir_open(n->tree->lfs, n->reads, disk_lfs_path(n->path)));
    if (error) {
        free(n->reads);
        n->reads = NULL;
    }
    return error;
}

/* Have n->last be the entry with that number, from 1 on. littlefs keeps its place where others change the folder, so
 * who reads on misses nothing and finds nothing twice. Returns 1, 0 at the end, or an error. */
static int read_to(struct disk_node *n, uint64_t number)
{
    int more = 1;
    disk_bound(n->tree);
    if (!n->reads || number < n->place)
        more = begin_reading(n);
    if (more < 0)
        return more;
    if (number > n->tree->lfs->cfg->block_count * (uint64_t)ENTRIES_MOST)
        return -EINVAL;
    for (more = 1; n->place < number && more > 0;) {
        struct lfs_info info; /* which is cleared at the end */
        more = (int)disk_error(lfs_dir_read(n->tree->lfs, n->reads, &info));
        if (more > 0) {
            n->last = info;
            n->place++;
        }
    }
    return more;
}

int disk_next(struct fs *fs, struct fs_node *folder, struct fs_place *place, struct fs_entry *entry)
{
    struct disk_node *n = disk_node(folder);
    char path[PATH_MOST];
    (void)fs;
    if (n->gone)
        return -ENOENT;
    int more = read_to(n, place->number + 1);
    if (more <= 0)
        return more;
    place->number++;
    size_t length = strlen(n->last.name);
    if (length > FS_NAME_MAX)
        return -EIO;
    memcpy(entry->name, n->last.name, length + 1);
    entry->number = disk_number(disk_path(n, entry->name, path) ? "" : path);
    entry->mode = n->last.type == LFS_TYPE_DIR ? S_IFDIR | FOLDER_MODE : S_IFREG;
    return 1;
}
