/* SPDX-License-Identifier: MIT */
/*
 * tty.c - what is typed at the console, by lines, as POSIX' canonical mode has it (11.1.6). It is echoed as it is
 * typed: a backspace or DEL takes the last character back, ^U the line; ^D hands on what there is, and nothing is the
 * end; ^C drops the line. Without ICANON each character is read as it comes, and without ISIG ^C is one like the others
 * (termios.h). Characters are taken from the kernel one by one, up to a line's end: what follows is there for whoever
 * reads next, another process perhaps.
 */
#include "tty.h"

#include <amalgam/spawn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "console.h"
#include "outside.h"

#define LONGEST    1024u
#define CONTROL(c) ((c)&31)

/* With the lock of the process's files. */
static char line[LONGEST];
static size_t used, taken; /* its characters; those that were read */
static bool whole;         /* it is complete */

struct termios tty_modes = {
    .c_iflag = ICRNL,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD,
    .c_lflag = ICANON | ECHO | ECHOE | ECHOK | ISIG,
    .c_cc = { [VINTR] = CONTROL('c'), [VERASE] = 0x7f, [VKILL] = CONTROL('u'), [VEOF] = CONTROL('d'), [VMIN] = 1 }
};

static void echo(const char *text)
{
    if (tty_modes.c_lflag & ECHO)
        amalgam_console_write(text, strlen(text));
}

static void keep(char c)
{
    char shown[2] = { c, '\0' };
    line[used++] = c;
    echo(shown);
}

static void rub_out(size_t n)
{
    for (; n && used; n--, used--)
        echo("\b \b");
}

static void type(char c)
{
    if (c == '\r' && tty_modes.c_iflag & ICRNL)
        c = '\n';
    else if (c == '\n' && tty_modes.c_iflag & INLCR)
        c = '\r';
    if (!(tty_modes.c_lflag & ICANON)) {
        keep(c);
        whole = true;
    } else if (c == '\b' || c == 0x7f) {
        rub_out(1);
    } else if (c == CONTROL('u')) {
        rub_out(used);
    } else if (c == CONTROL('d')) {
        whole = true;
    } else if (c == '\n') {
        keep(c);
        whole = true;
    } else if (used < LONGEST - 1 && ((unsigned char)c >= ' ' || c == '\t')) {
        keep(c);
    }
}

/* ^C was typed, which drops what is before it. */
static void interrupt(void)
{
    used = 0;
    if (tty_modes.c_lflag & ISIG) {
        echo("^C\n");
        line[used++] = '\n';
        whole = true;
    } else {
        keep(CONTROL('c'));
        whole = !(tty_modes.c_lflag & ICANON);
    }
}

/* Take what was typed up to the line's end. Returns 0; -EAGAIN: there is no whole line. */
static int64_t gather(void)
{
    while (!whole) {
        char c;
        if (outside_interrupted()) {
            interrupt();
            continue;
        }
        int64_t n = amalgam_console_read(&c, 1);
        if (n <= 0)
            return n == -AMALGAM_EAGAIN ? -EAGAIN : -EIO;
        type(c);
    }
    return 0;
}

static int64_t take(struct open_file *f, void *to, size_t n)
{
    uint32_t seen = files_changes();
    int64_t error;
    if (!n)
        return 0;
    while ((error = gather()) == -EAGAIN) {
        if (f->flags & O_NONBLOCK)
            return error;
        int ended = files_wait(seen, AMALGAM_NEVER);
        if (ended)
            return ended;
        seen = files_changes();
    }
    if (error)
        return error;
    n = n < used - taken ? n : used - taken;
    memcpy(to, line + taken, n);
    taken += n;
    if (taken == used) {
        used = taken = 0;
        whole = false;
    }
    return (int64_t)n;
}

static bool is_ready(void) { return !gather(); }

static const struct console_input input = { take, is_ready };

void tty_set(const struct termios *modes, bool drops)
{
    const tcflag_t input = ICRNL | INLCR, local = ICANON | ECHO | ISIG;
    tty_modes.c_iflag = (tty_modes.c_iflag & ~input) | (modes->c_iflag & input);
    tty_modes.c_lflag = (tty_modes.c_lflag & ~local) | (modes->c_lflag & local);
    if (drops) {
        amalgam_console_read(line, sizeof line); /* more than the kernel keeps */
        used = taken = 0;
        whole = false;
    } else if (!(tty_modes.c_lflag & ICANON) && used) {
        whole = true;
    }
}

void tty_begin(void)
{
    outside_begin();
    if (!files_outside)
        return;
    console_input = &input;
    console_is_read();
}
