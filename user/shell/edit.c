/* SPDX-License-Identifier: MIT */
/*
 * edit.c - a line of the console, edited by linenoise (of Debian's source of redis), with the lines before it (arrows)
 * and names of files and programs (tab). linenoise writes the whole line again for most characters; while more of them
 * wait, they are read and nothing is written, since the kernel keeps few characters and a pasted text has many.
 * `export TERM=dumb` is for who wants no editing.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <linenoise.h> /* wants size_t */

#include "shell.h"

#define LINE   1024
#define KEPT   50 /* lines of less than LINE characters, for the arrows: the shell's memory is small */
#define CTRL_C 3
#define HELD   1024 /* a line as it is written, at most: COLUMNS is 1000 or less (user/lib/winsize.c) */

/* --- what linenoise calls in place of read(), write() and tcsetattr() --------------------------------------------- */

static char held[HELD];     /* what is to be written when no more characters wait */
static size_t holds, fixed; /* its bytes; those that no later line replaces */
static char ahead[LINE];    /* what waited, up to a line's end: what follows is somebody else's */
static size_t has, taken;
static bool ended; /* the console cannot be read any more */

static void release(void)
{
    if (holds)
        write(STDOUT_FILENO, held, holds);
    holds = fixed = 0;
}

static bool more_waits(void)
{
    struct pollfd console = { .fd = STDIN_FILENO, .events = POLLIN };
    return poll(&console, 1, 0) == 1;
}

static bool ends_line(char c) { return c == '\r' || c == CTRL_C; }

/* Take one more character; ^C drops those that linenoise has not seen. */
static bool pull(void)
{
    char c;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &c, 1)) < 0 && errno == EINTR)
        ;
    if (n != 1) {
        ended = true;
        return false;
    }
    if (c == CTRL_C)
        has = taken = 0;
    ahead[has++] = c;
    return true;
}

/* What begins with \r is the whole line again, in place of what was to be written of it; with an escape, the screen is
 * cleared. */
ssize_t edit_write(int number, const void *from, size_t n)
{
    if (n && *(const char *)from == '\r')
        holds = fixed;
    if (n > HELD - holds)
        release();
    if (n > HELD)
        return write(number, from, n);
    memcpy(held + holds, from, n);
    holds += n;
    if (n && *(const char *)from == '\x1b')
        fixed = holds;
    return (ssize_t)n;
}

ssize_t edit_read(int number, void *to, size_t n)
{
    (void)number, (void)n; /* the console; one, always */
    while (has < LINE && !(has && ends_line(ahead[has - 1])) && more_waits() && pull())
        ;
    if (taken == has) {
        release();
        if (!pull())
            return -1;
    }
    *(char *)to = ahead[taken++];
    if (taken == has)
        has = taken = 0;
    if (*(char *)to == CTRL_C)
        edit_write(STDOUT_FILENO, "^C", 2);
    return 1;
}

/* What was typed before the prompt came stays. Who sends lines to the console ends them by \n, who types them by \r. */
int edit_modes(int number, int when, const struct termios *modes)
{
    struct termios own = *modes;
    (void)when;
    release();
    if (!(own.c_lflag & ICANON))
        own.c_iflag |= INLCR;
    return tcsetattr(number, TCSADRAIN, &own);
}

/* --- names behind a tab ------------------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

/* Is the character a control character, in ASCII or as UTF-8 has U+0080 to U+009F? */
static bool is_control(const unsigned char *at)
{
    return *at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f);
}

/* Is a name no other word when it is typed, and harmless on a terminal? A file's name may have any bytes. */
static bool can_be_typed(const char *name)
{
    for (const char *at = name; *at; at++)
        if (is_control((const unsigned char *)at))
            return false;
    return !strpbrk(name, " '\"\\$|&;<>#*?");
}

/* Offer what was typed up to its last word, and in place of that each file whose name begins so. The first word is a
 * program of PATH, if that is one folder. Names that would be cut or replaced are not offered. */
static void complete(const char *typed, linenoiseCompletions *to)
{
    const char *word = strrchr(typed, ' '), *folder = getenv("PATH");
    char pattern[LINE], offer[LINE];
    bool is_program = !word && !strchr(typed, '/') && folder && !strchr(folder, ':');
    word = word ? word + 1 : typed;
    int n =
        snprintf(pattern, sizeof pattern, "%s%s%s%c", is_program ? folder : "", is_program ? "/" : "", word, ANY_TEXT);
    if (n >= (int)sizeof pattern)
        return;
    struct names found = find_paths(pattern);
    for (size_t i = 0; i < found.n; i++) {
        const char *path = found.name[i], *name = is_program ? path + strlen(folder) + 1 : path;
        n = snprintf(offer, sizeof offer, "%.*s%s%s", (int)(word - typed), typed, name, is_folder(path) ? "/" : "");
        if (n < (int)sizeof offer && can_be_typed(name))
            linenoiseAddCompletion(to, offer);
    }
    names_free(&found);
}

char *edit_line(const char *prompt)
{
    static bool began;
    char *typed;
    int error;
    if (!began) {
        linenoiseSetCompletionCallback(complete);
        linenoiseHistorySetMaxLen(KEPT);
    }
    began = true;
    do {
        errno = 0;
        typed = linenoise(prompt);
        error = typed ? 0 : errno;
        if (error == ENOMEM)
            fprintf(stderr, "sh: no memory for this line\n");
    } while (!ended && (error == EAGAIN || error == ENOMEM)); /* EAGAIN: ^C */
    if (typed && ended) {
        free(typed);
        return NULL;
    }
    if (typed && *typed && strlen(typed) < LINE)
        linenoiseHistoryAdd(typed);
    return typed;
}
