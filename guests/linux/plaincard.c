/* SPDX-License-Identifier: MIT */
/* plaincard.c - "plaincard IF...": these network cards leave it to Linux to cut segments and to sum, as `ethtool -K IF
 * tso off sg off tx off rx off` has it. For guests/linux/netpeer. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
    static const __u32 off[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SSG, ETHTOOL_STXCSUM, ETHTOOL_SRXCSUM };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    for (int i = 1; i < argc; i++)
        for (unsigned k = 0; k < sizeof off / sizeof *off; k++) {
            struct ethtool_value value = { .cmd = off[k], .data = 0 };
            struct ifreq request = { .ifr_data = (char *)&value };
            snprintf(request.ifr_name, sizeof request.ifr_name, "%s", argv[i]);
            if (ioctl(s, SIOCETHTOOL, &request)) {
                perror(argv[i]);
                return 1;
            }
        }
    return 0;
}
