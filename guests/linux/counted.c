/* SPDX-License-Identifier: MIT */
/*
 * counted - runs a program between two marks for the counting emulator (tools/plugin/spans.c):
 *   counted NAME COMMAND [WORD...]
 *
 * If the command ends with status 0 it prints `counted NAME`; otherwise an error, and it ends with status 1. The marks
 * are instructions without an effect. Between them are this program's fork, the command, and all that the system does
 * meanwhile. Both marks must be executed on one CPU, so it pins itself, and with it the command, to CPU 0.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK(number) __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long 0x414d0000 + " #number ::: "memory")

static int run(char **words)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        perror("counted");
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: counted NAME COMMAND [WORD...]\n", stderr);
        return 2;
    }
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof(first), &first)) {
        perror("counted: CPU 0");
        return 1;
    }
    MARK(1);
    int status = run(argv + 2);
    MARK(2);
    if (status)
        fprintf(stderr, "counted: %s: %s ended with wait status %#x\n", argv[1], argv[2], (unsigned)status);
    else
        printf("counted %s\n", argv[1]);
    return status != 0;
}
