/* SPDX-License-Identifier: MIT */
/* rmdir NAME... - removes empty folders. */
#include <sys/stat.h>

#include "tool.h"

int main(int argc, char **argv)
{
    int result = 0;
    for (int i = 1; i < argc; i++)
        if (rmdir(argv[i]))
            result = complain(argv[0], argv[i]);
    return result;
}
