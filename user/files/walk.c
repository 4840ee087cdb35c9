/* SPDX-License-Identifier: MIT */
/* walk.c - follows a path, name by name. */
#include <string.h>

#include "node.h"

static bool is_dots(const char *text, size_t n) { return text[0] == '.' && (n == 1 || (n == 2 && text[1] == '.')); }

static const char *behind_slashes(const char *path)
{
    while (*path == '/')
        path++;
    return path;
}

/* Look for one name in the folder p->folder. */
static void step(struct place *p)
{
    p->normal = !is_dots(p->text, p->n);
    p->name = p->normal && !p->too_long ? folder_find(p->folder, p->text, p->n, p->hash) : NULL;
    if (p->normal)
        p->node = p->name ? p->name->node : NULL;
    else
        p->node = p->n == 1 ? p->folder : p->folder->folder.parent;
}

static int follow(struct fs *fs, struct fs_node *from, const char *path, enum last last, struct place *p,
                  unsigned *links);

/* The place is a symbolic link: go where it leads. */
static int enter(struct fs *fs, struct place *p, bool at_end, enum last last, unsigned *links)
{
    bool slash = p->slash;
    if (++*links > FS_LINKS)
        return -ELOOP;
    int error = follow(fs, p->folder, p->node->target, at_end && last == CREATE ? CREATE : FOLLOW, p, links);
    p->slash |= slash;
    return error == -EXDEV && !at_end ? -ELOOP : error; /* what is behind the link would have to be put together */
}

static bool follows(const struct place *p, enum last last)
{
    return last == FOLLOW || last == CREATE || (last == FOLLOW_SLASH && p->slash);
}

static int follow(struct fs *fs, struct fs_node *from, const char *path, enum last last, struct place *p,
                  unsigned *links)
{
    *p = (struct place){ .folder = *path == '/' ? fs->root : from, .text = path, .slash = true };
    p->node = p->folder;
    for (path = behind_slashes(path);;) {
        if (p->node && p->node == fs->mount) {
            fs->rest = path;
            return -EXDEV;
        }
        if (!*path)
            break;
        p->folder = p->node;
        p->text = path;
        p->n = name_scan(path, &p->hash);
        p->slash = path[p->n] == '/';
        path = behind_slashes(path + p->n);
        if (!S_ISDIR(p->folder->mode))
            return -ENOTDIR;
        p->too_long = p->n > FS_NAME_MAX;
        step(p);
        if (!*path && last >= CREATE && p->slash && p->normal)
            return -EISDIR;
        if (p->too_long && (*path || last != KEEP))
            return -ENAMETOOLONG;
        if (p->node && S_ISLNK(p->node->mode) && (*path || follows(p, last))) {
            int error = enter(fs, p, !*path, last, links);
            if (error)
                return error;
        }
        if (*path && !p->node)
            return -ENOENT;
    }
    p->end = path;
    return 0;
}

const char *fs_rest(struct fs *fs, struct fs_node *from, const char *path)
{
    struct place p;
    return walk(fs, from, path, KEEP, &p) == -EXDEV ? fs->rest : NULL;
}

int walk(struct fs *fs, struct fs_node *from, const char *path, enum last last, struct place *p)
{
    unsigned links = 0;
    if (!*path)
        return -ENOENT;
    int error = follow(fs, from, path, last, p, &links);
    bool too_long = error ? strnlen(path, FS_PATH_MAX) == FS_PATH_MAX : p->end - path >= (ptrdiff_t)FS_PATH_MAX;
    return too_long ? -ENAMETOOLONG : error; /* comes before all else */
}
