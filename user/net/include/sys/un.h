/* SPDX-License-Identifier: MIT */
/* sys/un.h - for programs that can do without: socket(AF_UNIX, ...) is EAFNOSUPPORT, as no two processes share names.
 */
#ifndef AMALGAM_SYS_UN_H
#define AMALGAM_SYS_UN_H

#include <sys/socket.h>

struct sockaddr_un {
    uint8_t sun_len;
    sa_family_t sun_family;
    char sun_path[104];
};

#endif
