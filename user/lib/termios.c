/* SPDX-License-Identifier: MIT */
/* termios.c - tcgetattr() and tcsetattr() of the console's input (tty.c). What was written has always been sent. */
#include <errno.h>
#include <termios.h>

#include "files.h"
#include "tty.h"

/* With the lock. */
static int error_of(int number)
{
    const struct open_file *f = files_of(number);
    return !f ? -EBADF : f->kind->terminal && console_input ? 0 : -ENOTTY;
}

int tcgetattr(int number, struct termios *modes)
{
    files_enter();
    int error = error_of(number);
    if (!error)
        *modes = tty_modes;
    files_leave();
    return (int)files_result(error);
}

int tcsetattr(int number, int when, const struct termios *modes)
{
    bool canonical = modes->c_lflag & ICANON, supported = modes->c_cc[VMIN] == 1 && !modes->c_cc[VTIME];
    files_enter();
    int error = error_of(number);
    if (!error && (when < TCSANOW || when > TCSAFLUSH || (!canonical && !supported)))
        error = -EINVAL;
    if (!error)
        tty_set(modes, when == TCSAFLUSH);
    files_leave();
    return (int)files_result(error);
}
