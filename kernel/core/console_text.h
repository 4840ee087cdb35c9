/* SPDX-License-Identifier: MIT */
/* console_text.h - what speakers say, as the two ports show it. All of it with the console locked. */
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
    char line[LINE]; /* unfocused text until its line is whole */
};

/* To the human port: the kernel's text as it is; the rest of a line that was begun there; what `s` has said of its line
 * so far, bare or as a line with its name. */
void text_say(const char *text);
void text_end_line(void);
void text_half_line(struct source *s);
void text_line(struct source *s);

/* To the human port: at once if `id` is focused, else by whole lines. */
void text_shown(unsigned id, struct source *s, bool focused, const char *text, size_t n);
/* To the tagged channel, as bytes of `id`. */
void text_tagged(unsigned id, const char *text, size_t n);

#endif
