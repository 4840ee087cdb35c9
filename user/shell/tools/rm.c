/* SPDX-License-Identifier: MIT */
/* rm NAME... - removes files. */
#include <sys/stat.h>

#include "tool.h"

int main(int argc, char **argv)
{
    int result = 0;
    for (int i = 1; i < argc; i++)
        if (unlink(argv[i]))
            result = complain(argv[0], argv[i]);
    return result;
}
