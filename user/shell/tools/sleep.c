/* SPDX-License-Identifier: MIT */
/* sleep SECONDS */
#include <stdlib.h>

#include "tool.h"

int main(int argc, char **argv)
{
    if (argc == 2)
        return sleep((unsigned)atoi(argv[1])) != 0;
    fprintf(stderr, "sleep: sleep SECONDS\n");
    return 2;
}
