/* SPDX-License-Identifier: MIT */
/*
 * posix_spawn.c - posix_spawn() and posix_spawnp(): the program is a file of this process's tree, or of a server's. The
 * started one shares pipes with this process, and its console; other files it opens itself (posix_spawn.h), so an error
 * of that is its status 127. What is open here and no pipe, it has not.
 */
#include <amalgam/spawn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "children.h"
#include "outside.h"
#include "posix_spawn.h"
#include "spawn_actions.h"

#define LARGEST (1u << 20) /* a program, as handle_memory() has it */
#define PAGE    4096u
#define TEXTS   8192u

/* Who starts others may be started. */
extern void amalgam_inherit(void);
static void (*const inherits)(void) __attribute__((used)) = amalgam_inherit;

/* What the program gets. */
struct start {
    struct amalgam_program p;
    char texts[TEXTS];
    size_t used;
    /* Of p.handle; held, so that nobody's close() ends one before the start. */
    struct open_file *pipe[AMALGAM_SPAWN_HANDLES];
};

static bool add(struct start *s, const char *text, size_t n)
{
    if (n > sizeof s->texts - s->used)
        return false;
    memcpy(s->texts + s->used, text, n);
    s->used += n;
    return true;
}

/* Returns how many texts a list has that were added, or -1: they do not fit. */
static int add_list(struct start *s, char *const list[], const char *without)
{
    int n = 0;
    for (; list && *list; list++) {
        if (without && !strncmp(*list, without, strlen(without)))
            continue;
        if (!add(s, *list, strlen(*list) + 1))
            return -1;
        n++;
    }
    return n;
}

static bool add_word(struct start *s, char letter, long a, long b, long c, const char *path)
{
    char numbers[64];
    int n = snprintf(numbers, sizeof numbers, "%c%ld %ld %ld ", letter, a, b, c);
    return add(s, numbers, (size_t)n) && add(s, path, strlen(path)) && add(s, SPAWN_SEPARATOR, 1);
}

/* With the lock. Add the pipe's handle, once. Returns which one it is, or -1: there are too many. */
static int add_handle(struct start *s, struct open_file *f, bool writes)
{
    unsigned i = 0;
    while (i < s->p.n_handles && s->pipe[i] != f)
        i++;
    if (i == AMALGAM_SPAWN_HANDLES)
        return -1;
    if (i == s->p.n_handles) {
        s->pipe[i] = f;
        f->held++;
        s->p.handle[i] = (uint8_t)outside_pipe_handle(f);
        s->p.rights[i] = writes ? AMALGAM_HANDLE_WRITE : AMALGAM_HANDLE_READ;
        s->p.n_handles++;
    }
    return (int)i;
}

/* With the lock. Numbers 0 to 2 are the console's in the program, if nothing is said. Returns 0 or an error. */
static int add_numbers(struct start *s)
{
    for (int number = 0; number < MOST_OPEN; number++) {
        struct open_file *f = files_of(number);
        if (f && outside_pipe_handle(f) >= 0) {
            bool writes = (f->flags & O_ACCMODE) == O_WRONLY;
            int handle = add_handle(s, f, writes);
            if (handle < 0)
                return EMFILE;
            if (!add_word(s, SPAWN_PIPE, number, handle, writes, ""))
                return E2BIG;
        } else if (number <= 2 && !(f && f->kind->terminal) && !add_word(s, SPAWN_CLOSE, number, 0, 0, "")) {
            return E2BIG;
        }
    }
    return 0;
}

static int add_actions(struct start *s, const struct spawn_action *a)
{
    for (; a; a = a->next) {
        if (a->path && strstr(a->path, SPAWN_SEPARATOR))
            return EINVAL;
        if (!add_word(s, a->letter, a->number, a->second, a->third, a->path ? a->path : ""))
            return E2BIG;
    }
    return 0;
}

static int add_variable(struct start *s, const struct spawn_action *actions)
{
    char folder[FS_PATH_MAX];
    int error = 0;
    if (!getcwd(folder, sizeof folder))
        return errno;
    if (!add(s, SPAWN_VARIABLE "=", strlen(SPAWN_VARIABLE "=")))
        return E2BIG;
    files_enter();
    error = add_numbers(s);
    files_leave();
    if (!error && strcmp(folder, "/") && !add_word(s, SPAWN_FOLDER, 0, 0, 0, folder))
        error = E2BIG;
    if (!error)
        error = add_actions(s, actions);
    return error ? error : add(s, "", 1) ? 0 : E2BIG;
}

/* --- the program's file ------------------------------------------------------------------------------------------ */

struct image {
    void *memory;
    size_t size, room;
};

static int read_all(int file, struct image *i)
{
    size_t done = 0;
    ssize_t n;
    while ((n = read(file, (char *)i->memory + done, i->size - done)) > 0)
        done += (size_t)n;
    return n < 0 ? errno : done < i->size ? EIO : 0;
}

static int load(const char *path, struct image *i)
{
    struct stat st;
    int file = open(path, O_RDONLY), error = 0;
    if (file < 0)
        return errno;
    if (fstat(file, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
        error = EACCES;
    else if (!st.st_size)
        error = ENOEXEC;
    else if (st.st_size > (off_t)LARGEST)
        error = ENOMEM;
    if (!error) {
        i->size = (size_t)st.st_size;
        i->room = (i->size + PAGE - 1) / PAGE * PAGE;
        int64_t at = amalgam_map(NULL, i->room, AMALGAM_MAP_WRITE);
        i->memory = at < 0 ? NULL : (void *)(uintptr_t)at;
        error = at < 0 ? ENOMEM : read_all(file, i);
        if (error && i->memory)
            amalgam_unmap(i->memory, i->room);
    }
    close(file);
    return error;
}

/* Start the loaded program. Whoever looks for what has ended finds it from its start on. Returns its number or a
 * negative error. */
static int64_t start(struct start *s, const struct image *i)
{
    int64_t handle = amalgam_handle_memory(i->memory, i->room, 0);
    if (handle < 0)
        return handle == -AMALGAM_ENOSPC ? -EMFILE : handle;
    s->p.image = (uint32_t)handle;
    s->p.size = (uint32_t)i->size;
    s->p.texts = (uintptr_t)s->texts;
    s->p.length = (uint32_t)s->used;
    files_enter();
    int64_t child = amalgam_spawn_start(&s->p);
    if (child > 0)
        children_add((pid_t)child);
    files_leave();
    amalgam_handle_close((unsigned)handle);
    return child;
}

static void drop_pipes(struct start *s)
{
    files_enter();
    for (unsigned i = 0; i < s->p.n_handles; i++)
        files_drop(s->pipe[i]);
    files_leave();
}

static int spawn(pid_t *child, const char *path, const struct spawn_action *actions, char *const argv[],
                 char *const envp[])
{
    struct start *s = calloc(1, sizeof *s);
    struct image i = { 0 };
    if (!s)
        return ENOMEM;
    int argc = add_list(s, argv, NULL), envc = add_list(s, envp, SPAWN_VARIABLE "=");
    int error = argc < 0 || envc < 0 ? E2BIG : add_variable(s, actions);
    if (!error)
        error = load(path, &i);
    if (!error) {
        s->p.argc = (uint32_t)argc;
        s->p.envc = (uint32_t)envc + 1;
        int64_t number = start(s, &i);
        amalgam_unmap(i.memory, i.room);
        error = number < 0 ? (int)-number : 0;
        if (!error && child)
            *child = (pid_t)number;
    }
    drop_pipes(s);
    free(s);
    return error;
}

int posix_spawn(pid_t *restrict child, const char *restrict path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const argv[], char *const envp[])
{
    (void)attributes; /* nothing of them is here */
    return spawn(child, path, actions ? spawn_first_action(actions) : NULL, argv, envp);
}

int posix_spawnp(pid_t *restrict child, const char *restrict name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const argv[], char *const envp[])
{
    char path[FS_PATH_MAX];
    const char *folders = getenv("PATH");
    int error = ENOENT;
    if (strchr(name, '/'))
        return posix_spawn(child, name, actions, attributes, argv, envp);
    for (const char *at = folders ? folders : "/bin"; error == ENOENT && *at;) {
        size_t n = strcspn(at, ":");
        if ((size_t)snprintf(path, sizeof path, "%.*s%s%s", (int)n, at, n ? "/" : "./", name) >= sizeof path)
            return ENAMETOOLONG;
        error = posix_spawn(child, path, actions, attributes, argv, envp);
        at += n + (at[n] == ':');
    }
    return error;
}
