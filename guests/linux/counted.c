/* SPDX-License-Identifier: MIT */
/*
 * counted - run a program between two marks for the counting emulator (tools/plugin/spans.c):
 *   counted NAME COMMAND [WORD...]
 *
 * Prints `counted NAME` when the command has ended with status 0, else says so and ends with status 1. The marks are
 * instructions that do nothing. What is between them: this program's fork, the command, all that the system does
 * meanwhile. Both must be of one CPU: pins itself, and so the command, to CPU 0.
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
