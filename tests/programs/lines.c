/* SPDX-License-Identifier: MIT */
/* lines.c - two threads, on two cores if there are as many, print lines of 100 characters; none may mix with another.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LENGTH 100
#define LINES  100

static void *print(void *letter)
{
    char line[LENGTH + 1];
    memset(line, *(char *)letter, LENGTH);
    line[LENGTH] = '\0';
    for (int i = 0; i < LINES; i++)
        puts(line);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, print, "a"))
        return 1;
    print("b");
    pthread_join(thread, NULL);
    puts("lines: done");
    return 0;
}
