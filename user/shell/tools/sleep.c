/* SPDX-License-Identifier: MIT */
/* sleep SECONDS */
#include "tool.h"

int main(int argc, char **argv)
{
    long seconds = argc == 2 ? number_of(argv[1]) : 0;
    if (seconds < 0)
        return complain("sleep", argv[1]);
    if (argc == 2)
        return sleep((unsigned)seconds) != 0;
    fprintf(stderr, "sleep: sleep SECONDS\n");
    return 2;
}
