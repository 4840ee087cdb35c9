/* SPDX-License-Identifier: MIT */
/*
 * commands.h - the parts of the shell of a many-core (docs/servers.md): lines (main.c), commands that tell (tell.c),
 * and those that start and end programs (run.c), by the process servers of the clusters that PROCESSES lists.
 */
#ifndef AMALGAM_SHELL_COMMANDS_H
#define AMALGAM_SHELL_COMMANDS_H

#include <stdbool.h>

#define WORDS 32 /* of a line */

/* Each gets its words, of which words[argc] is NULL, and says itself what is wrong. */
void tell_help(int argc, char **words);
void tell_processes(int argc, char **words); /* ps */
void tell_stats(int argc, char **words);
void tell_top(int argc, char **words);
void tell_files(int argc, char **words); /* ls */
void tell_file(int argc, char **words);  /* cat */
/* Wait for all servers, not for long, and say which ones do not answer: what they say when they begin comes before the
 * first prompt. */
void tell_missing(void);
void run_program(int argc, char **words);
void run_kill(int argc, char **words);

/* Say how what runs beside has ended; its servers hear of this shell by that, too. */
void run_say_ends(void);

#endif
