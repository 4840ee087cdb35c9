/* SPDX-License-Identifier: MIT */
/* hello.c - a small first program: prints its arguments by the C library. */
#include <stdio.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    printf("hello: domain %d, %d arguments\n", getpid(), argc);
    for (int i = 0; i < argc; i++)
        printf("argv[%d] = %s\n", i, argv[i]);
    for (char **word = environ; *word; word++)
        printf("environment: %s\n", *word);
    printf("pi is about %.6f\n", 355 / 113.0);
    return 0;
}
