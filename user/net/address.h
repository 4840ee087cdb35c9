/* SPDX-License-Identifier: MIT */
/* address.h - sums of addresses, in the order of this processor's bytes. */
#ifndef AMALGAM_USER_NET_ADDRESS_H
#define AMALGAM_USER_NET_ADDRESS_H

#include <stdint.h>

/* Returns the address that is n above one of a network with this mask; 0: it is none of a host of that network. */
static inline uint32_t address_above(uint32_t address, uint32_t mask, uint32_t n)
{
    uint32_t hosts = ~mask, own = address & hosts;
    if (n > hosts - own || (hosts > 1 && n == hosts - own)) /* the last one is for all hosts */
        return 0;
    return address + n;
}

#endif
