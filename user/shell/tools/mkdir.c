/* SPDX-License-Identifier: MIT */
/* mkdir NAME... - makes folders. */
#include <sys/stat.h>

#include "tool.h"

int main(int argc, char **argv)
{
    int result = 0;
    for (int i = 1; i < argc; i++)
        if (mkdir(argv[i], 0777))
            result = complain(argv[0], argv[i]);
    return result;
}
