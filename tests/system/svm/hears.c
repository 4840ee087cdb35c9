/* SPDX-License-Identifier: MIT */
/* hears.c - waits for mail of its other runs, for ever. The argument says how: 0 poll, 1 interrupt, 2 adaptive. */
#include <amalgam/scc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char message[28];
    unsigned how = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    printf("hears: waits\n");
    fflush(stdout);
    int64_t result = amalgam_mail_receive(message, how, UINT64_MAX);
    printf("hears: result %d\n", (int)result);
    return 0;
}
