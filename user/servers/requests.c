/* SPDX-License-Identifier: MIT */
/* requests.c - see requests.h. */
#include "requests.h"

#include <amalgam/clusters.h>
#include <stdio.h>

int requests_receive(const char *server, unsigned in, void *message)
{
    int64_t from;
    do
        from = amalgam_mailbox_receive(in, message, REQUESTS_BYTES);
    while (from == -AMALGAM_EINTR);
    if (from < 0)
        printf("%s: no more requests: error %d\n", server, (int)-from);
    return from < 0 ? -1 : (int)(from >> 8);
}
