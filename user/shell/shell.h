/* SPDX-License-Identifier: MIT */
/*
 * shell.h - the shell's parts: a line's words (words.c), names of files in them (patterns.c), what they have run
 * (run.c), the shell's own commands (own.c), a typed line (edit.c). A pipeline is cut when it is its turn, so that $?
 * and variables are those of then.
 */
#ifndef AMALGAM_SHELL_H
#define AMALGAM_SHELL_H

#include <stdbool.h>
#include <stdio.h>

#include "names.h"

#define WORDS 128
#define TEXT  4096

/* A pipeline cut into words. An operator is the one of `operators` itself, so a quoted "|" is none. */
struct words {
    const char *word[WORDS + 1]; /* the last one is NULL */
    unsigned n;
    const char *behind; /* AND_IF, OR_IF, BESIDE or THEN; at the line's end THEN */
    char text[TEXT];
};

extern const char AND_IF[], OR_IF[], PIPE[], BESIDE[], THEN[], ERROR_TO_OUT[], ERROR_TO[], APPEND_TO[], WRITE_TO[],
    READ_FROM[];
bool is_operator(const char *word);

/* patterns.c. What `*` and `?` are in a word while it is cut, where they are not quoted. */
#define ANY_TEXT      '\x01'
#define ANY_CHARACTER '\x02'
bool has_pattern(const char *text, size_t n);
/* Returns the paths that a pattern describes, in order, or none if there is no memory; names_free() frees them. */
struct names find_paths(const char *pattern);

extern int status;   /* $?: of the last command */
extern bool leaving; /* `exit` was said: nothing more is run */
extern bool stopped; /* a command was ended by ^C: nothing more of the line, or of the file, is run */

/* Cut a line's next pipeline, and move *line behind it. Returns NULL, or what is wrong with it. */
const char *words_of(const char **line, struct words *w);
/* Run a line. Sets status. May be called by one of the shell's own commands. */
void run(const char *line);
/* Run all lines of a file. */
void run_lines(FILE *in);
/* edit.c. Ask for a line at the console. Returns it, for free(); NULL: there is no more. */
char *edit_line(const char *prompt);
/* Look whether something that runs beside has ended, and say so. */
void say_ends(void);
/* Run one of the shell's own commands. Returns false: it is none. */
bool run_own(char *const argv[], int argc);

#endif
