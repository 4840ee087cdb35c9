/* SPDX-License-Identifier: MIT */
/* console_text.h - text of sources as the two ports show it. The console must be locked. */
#ifndef AMALGAM_CORE_CONSOLE_TEXT_H
#define AMALGAM_CORE_CONSOLE_TEXT_H

#include <core/console.h>

#define TAG  0xff
#define LINE 120

struct source {
    const char *name;
    console_input_fn input;
    void *arg;
    unsigned used;
    char line[LINE]; /* text of a source without focus, until its line is whole */
};

/* Write to the human port: the kernel's text; the end of a line that was begun there; the unfinished line of `s`; the
 * unfinished line of `s` with its name, as a whole line. */
void text_say(const char *text);
void text_end_line(void);
void text_half_line(struct source *s);
void text_line(struct source *s);

/* Write text of source `id` to the human port: at once if it has the focus, else by whole lines, and then at most one.
 * Returns how many bytes of the text are done. */
size_t text_shown(unsigned id, struct source *s, bool focused, const char *text, size_t n);
/* Write text to the tagged channel as bytes of `id`. */
void text_tagged(unsigned id, const char *text, size_t n);

#endif
