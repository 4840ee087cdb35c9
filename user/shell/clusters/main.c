/* SPDX-License-Identifier: MIT */
/* main.c - a shell at the console of a cluster: reads lines, and runs each line's command. See commands.h. */
#include <nanvix/sys/noc.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

#define LINE 1026 /* the console's longest line (user/lib/tty.c), its end and a NUL */

static const struct command {
    const char *name, *usage, *purpose;
    void (*run)(int argc, char **words);
} commands[] = {
    { "ps", "", "the programs of all clusters", tell_processes },
    { "run", "PROGRAM [-n THREADS] [-c CLUSTERS] [WORD ...] [&]", "start a file on clusters, and wait", run_program },
    { "kill", "NUMBER | NAME", "end what was started here", run_kill },
    { "stats", "", "what the servers of all clusters count", tell_stats },
    { "top", "", "cores and programs of all clusters", tell_top },
    { "ls", "[FOLDER ...]", "names of files", tell_files },
    { "cat", "FILE ...", "what is in files", tell_file },
    { "help", "", "this", tell_help },
};

void tell_help(int argc, char **words)
{
    (void)argc;
    (void)words;
    for (unsigned i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        printf("%s %s - %s\n", commands[i].name, commands[i].usage, commands[i].purpose);
    printf("exit - end the shell\n");
}

/* Returns how many words there are; 0, too, with more than WORDS, which it says. */
static int cut(char *line, char **words)
{
    int n = 0;
    char *rest, *word = strtok_r(line, " \t\r\n", &rest);
    for (; word && n < WORDS; word = strtok_r(NULL, " \t\r\n", &rest))
        words[n++] = word;
    words[n] = NULL;
    if (word)
        printf("a line has at most %d words\n", WORDS);
    return word ? 0 : n;
}

/* The last word may be "&", which is for run. */
static void carry_out(int argc, char **words)
{
    if (!strcmp(words[argc - 1], "&") && strcmp(words[0], "run")) {
        printf("%s: only run has what goes on beside the shell\n", words[0]);
        return;
    }
    for (unsigned i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (!strcmp(words[0], commands[i].name)) {
            commands[i].run(argc, words);
            return;
        }
    printf("%s: there is no such command; help lists them\n", words[0]);
}

/* "&" ends a command, as the line does. Returns whether the shell goes on: nobody typed exit. */
static bool carry_out_all(int argc, char **words)
{
    for (int at = 0, n; at < argc; at += n) {
        for (n = 1; strcmp(words[at + n - 1], "&") && at + n < argc; n++)
            ;
        char *next = words[at + n];
        words[at + n] = NULL;
        if (!strcmp(words[at], "exit"))
            return false;
        carry_out(n, words + at);
        words[at + n] = next;
    }
    return true;
}

void ___start(int argc, const char *argv[], char **envp)
{
    char line[LINE], *words[WORDS + 1];
    (void)argc;
    (void)argv;
    (void)envp;
    knoc_init();
    tell_missing();
    for (;;) {
        run_say_ends();
        printf("$ ");
        fflush(stdout);
        if (!fgets(line, sizeof(line), stdin))
            return;
        int n = cut(line, words);
        if (!carry_out_all(n, words))
            return;
        fflush(stdout);
    }
}
