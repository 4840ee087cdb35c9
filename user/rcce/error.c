/* SPDX-License-Identifier: MIT */
/* error.c - the texts of errors, and which errors are printed. */
#include <stdio.h>
#include <string.h>

#include "rcce.h"

/* One behind the other, which takes less memory than a table of addresses. */
static const char texts[] = "Success\0"
                            "Invalid target buffer\0"
                            "Invalid source buffer\0"
                            "Invalid UE ID\0"
                            "Invalid message length\0"
                            "Flag is not defined\0"
                            "Invalid number of UEs\0"
                            "Source and target overlap\0"
                            "Not aligned to a line\0"
                            "Invalid debug flag\0"
                            "Flag is not in the communication buffer\0"
                            "Flag status is not defined\0"
                            "Flag could not be allocated\0"
                            "Value is not defined\0"
                            "Invalid error code\0"
                            "There is no power controller\0"
                            "Internal error of a remote call\0"
                            "Several power requests at a time\0"
                            "Invalid frequency divider\0"
                            "Frequency exceeds the voltage's\0"
                            "No power request is active\0"
                            "Power request is stale\0"
                            "Communicator is not defined\0"
                            "Illegal reduction operator\0"
                            "Illegal type\0"
                            "No memory in the communication buffer\0"
                            "Already initialized\0"
                            "This core is not among the UEs\0"
                            "No multicast";
#define TEXTS_END (texts + sizeof(texts))

static unsigned printed = DEBUG_ALWAYS;

static const char *text_of(int error)
{
    const char *text = texts;
    int n = error ? error - RCCE_ERROR_BASE : 0;
    if (n < 0 || (error && !n))
        return NULL;
    for (; n && text < TEXTS_END; n--)
        text += strlen(text) + 1;
    return text < TEXTS_END ? text : NULL;
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
