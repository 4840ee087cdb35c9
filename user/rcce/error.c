/* SPDX-License-Identifier: MIT */
/* error.c - the texts of errors, and which errors are printed. */
#include <stdio.h>
#include <string.h>

#include "rcce.h"

static const char *const texts[] = {
    "Success",
    "Invalid target buffer",
    "Invalid source buffer",
    "Invalid UE ID",
    "Invalid message length",
    "Flag is not defined",
    "Invalid number of UEs",
    "Source and target overlap",
    "Not aligned to a line",
    "Invalid debug flag",
    "Flag is not in the communication buffer",
    "Flag status is not defined",
    "Flag could not be allocated",
    "Value is not defined",
    "Invalid error code",
    "There is no power controller",
    "Internal error of a remote call",
    "Several power requests at a time",
    "Invalid frequency divider",
    "Frequency exceeds the voltage's",
    "No power request is active",
    "Power request is stale",
    "Communicator is not defined",
    "Illegal reduction operator",
    "Illegal type",
    "No memory in the communication buffer",
    "Already initialized",
    "This core is not among the UEs",
    "No multicast",
};
#define N_TEXTS (int)(sizeof(texts) / sizeof(texts[0]))

static unsigned printed = DEBUG_ALWAYS;

static const char *text_of(int error)
{
    int n = error ? error - RCCE_ERROR_BASE : 0;
    return n < 0 || n >= N_TEXTS || (error && !n) ? NULL : texts[n];
}

int rcce_error(enum rcce_group group, int error)
{
    if (error && printed & group)
        printf("RCCE: UE %d: %s\n", rcce.ue, text_of(error) ? text_of(error) : "Unknown error");
    return error;
}

int RCCE_error_string(int error, char *text, int *length)
{
    const char *found = text_of(error);
    if (!text || !length)
        return rcce_error(DEBUG_DEBUG, RCCE_ERROR_VAL_UNDEFINED);
    strcpy(text, found ? found : "");
    *length = (int)strlen(text);
    return found ? RCCE_SUCCESS : rcce_error(DEBUG_DEBUG, RCCE_ERROR_INVALID_ERROR_CODE);
}

static unsigned group_of(int flag)
{
    switch (flag) {
    case RCCE_DEBUG_ALL: return DEBUG_SYNCH | DEBUG_COMM | DEBUG_RPC | DEBUG_DEBUG;
    case RCCE_DEBUG_SYNCH: return DEBUG_SYNCH;
    case RCCE_DEBUG_COMM: return DEBUG_COMM;
    case RCCE_DEBUG_RPC: return DEBUG_RPC;
    case RCCE_DEBUG_DEBUG: return DEBUG_DEBUG;
    default: return 0;
    }
}

int RCCE_debug_set(int flag)
{
    printed |= group_of(flag);
    return group_of(flag) ? RCCE_SUCCESS : rcce_error(DEBUG_DEBUG, RCCE_ERROR_DEBUG_FLAG);
}

int RCCE_debug_unset(int flag)
{
    printed &= ~group_of(flag);
    return group_of(flag) ? RCCE_SUCCESS : rcce_error(DEBUG_DEBUG, RCCE_ERROR_DEBUG_FLAG);
}
