/* SPDX-License-Identifier: MIT */
/*
 * power.c - six power domains of 2 x 2 tiles, as on the real SCC. This board cannot change voltage or frequency, so a
 * request is refused with the error of a library without power controller.
 */
#include "rcce.h"

#define ACROSS      6 /* tiles of a row */
#define DIVIDER_MIN 2
#define DIVIDER_MAX 16

static int domain_of(int ue)
{
    int tile = rcce.core[ue] / 2;
    return tile % ACROSS / 2 + tile / ACROSS / 2 * (ACROSS / 2);
}

int RCCE_power_domain(void) { return rcce.n ? domain_of(rcce.ue) : -1; }

int RCCE_power_domain_master(void)
{
    for (int ue = 0; ue < rcce.n; ue++)
        if (domain_of(ue) == domain_of(rcce.ue))
            return ue;
    return -1;
}

int RCCE_power_domain_size(void)
{
    int size = 0;
    for (int ue = 0; ue < rcce.n; ue++)
        size += domain_of(ue) == domain_of(rcce.ue);
    return size;
}

int RCCE_iset_power(int divider, RCCE_REQUEST *request, int *new_divider, int *new_level)
{
    if (divider != RCCE_POWER_DEFAULT && (divider < DIVIDER_MIN || divider > DIVIDER_MAX))
        return rcce_error(DEBUG_RPC, RCCE_ERROR_FDIVIDER);
    if (!request || !new_divider || !new_level)
        return rcce_error(DEBUG_RPC, RCCE_ERROR_VAL_UNDEFINED);
    *request = (RCCE_REQUEST){ 0 };
    return rcce_error(DEBUG_RPC, RCCE_ERROR_RPC_NOT_ALLOCATED);
}

int RCCE_wait_power(RCCE_REQUEST *request)
{
    return rcce_error(DEBUG_RPC, request ? RCCE_ERROR_NO_ACTIVE_RPC_REQUEST : RCCE_ERROR_VAL_UNDEFINED);
}

int RCCE_set_frequency_divider(int divider, int *new_divider)
{
    if (divider < DIVIDER_MIN || divider > DIVIDER_MAX)
        return rcce_error(DEBUG_RPC, RCCE_ERROR_FDIVIDER);
    return rcce_error(DEBUG_RPC, new_divider ? RCCE_ERROR_RPC_NOT_ALLOCATED : RCCE_ERROR_VAL_UNDEFINED);
}
