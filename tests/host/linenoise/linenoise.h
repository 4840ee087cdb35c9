/* SPDX-License-Identifier: MIT */
/* linenoise.h (host) - what the shell calls of linenoise, in its words; the test is linenoise. */
#ifndef AMALGAM_TESTS_LINENOISE_H
#define AMALGAM_TESTS_LINENOISE_H

typedef struct {
    size_t len;
    char **cvec;
} linenoiseCompletions;

char *linenoise(const char *prompt);
int linenoiseHistoryAdd(const char *line);
int linenoiseHistorySetMaxLen(int n);
void linenoiseSetCompletionCallback(void (*complete)(const char *typed, linenoiseCompletions *to));
void linenoiseAddCompletion(linenoiseCompletions *to, const char *offer);

#endif
