/* SPDX-License-Identifier: MIT */
/* flags.c - a flag is a line of the buffer, whose first word other UEs write and its owner reads. */
#include "rcce.h"

#include <RCCE_lib.h>

#undef RCCE_flag_write_tagged
#undef RCCE_flag_read_tagged
#undef RCCE_wait_tagged
#undef RCCE_test_tagged

/* Find the word of a flag in ue's buffer. Returns RCCE_SUCCESS or an error. */
static int word_of(RCCE_FLAG flag, int ue, volatile u32 **word)
{
    size_t offset;
    if (!rcce_ue_ok(ue))
        return RCCE_ERROR_ID;
    if (!flag)
        return RCCE_ERROR_FLAG_UNDEFINED;
    if (!rcce_offset(flag, RCCE_LINE_SIZE, &offset) || offset % RCCE_LINE_SIZE)
        return RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER;
    *word = (volatile u32 *)((char *)rcce.mpb[ue] + offset);
    return RCCE_SUCCESS;
}

static int status_ok(RCCE_FLAG_STATUS value)
{
    return value == RCCE_FLAG_SET || value == RCCE_FLAG_UNSET ? RCCE_SUCCESS : RCCE_ERROR_FLAG_STATUS_UNDEFINED;
}

int RCCE_flag_alloc(RCCE_FLAG *flag)
{
    if (!flag)
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_FLAG_UNDEFINED);
    *flag = (RCCE_FLAG)RCCE_malloc(RCCE_LINE_SIZE);
    if (!*flag)
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_FLAG_NOT_ALLOCATED);
    rcce_tell((volatile u32 *)*flag, RCCE_FLAG_UNSET);
    return RCCE_SUCCESS;
}

int RCCE_flag_free(RCCE_FLAG *flag)
{
    volatile u32 *word;
    int error = flag ? word_of(*flag, rcce.ue, &word) : RCCE_ERROR_FLAG_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    RCCE_free((t_vcharp)*flag);
    *flag = NULL;
    return RCCE_SUCCESS;
}

int RCCE_flag_write(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue)
{
    volatile u32 *word = NULL;
    int error = flag ? word_of(*flag, ue, &word) : RCCE_ERROR_FLAG_UNDEFINED;
    if (!error)
        error = status_ok(value);
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    rcce_tell(word, (u32)value);
    return RCCE_SUCCESS;
}

int RCCE_flag_read(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue)
{
    volatile u32 *word = NULL;
    int error = value ? word_of(flag, ue, &word) : RCCE_ERROR_VAL_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    *value = rcce_look(word) ? RCCE_FLAG_SET : RCCE_FLAG_UNSET;
    rcce_polled(); /* whatever it is: the application may wait for a change */
    return RCCE_SUCCESS;
}

int RCCE_test_flag(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result)
{
    volatile u32 *word = NULL;
    int error = result ? word_of(flag, rcce.ue, &word) : RCCE_ERROR_VAL_UNDEFINED;
    if (!error)
        error = status_ok(value);
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    *result = !rcce_look(word) == !value;
    if (!*result)
        rcce_polled();
    return RCCE_SUCCESS;
}

int RCCE_wait_until(RCCE_FLAG flag, RCCE_FLAG_STATUS value)
{
    volatile u32 *word = NULL;
    int error = word_of(flag, rcce.ue, &word);
    if (!error)
        error = status_ok(value);
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    rcce_await(!rcce_look(word) == !value);
    return RCCE_SUCCESS;
}

static size_t tag_bytes(const void *tag, int length)
{
    return !tag || length < 0 ? 0 : length < RCCE_TAG ? (size_t)length : RCCE_TAG;
}

/* Returns a flag's tag, which is in the flag's line. It is stored before the value, so a UE that sees the value also
 * has the tag. */
static volatile void *tag_of(volatile u32 *word) { return word + 1; }

int RCCE_flag_write_tagged(RCCE_FLAG *flag, RCCE_FLAG_STATUS value, int ue, void *tag, int length)
{
    volatile u32 *word = NULL;
    int error = flag ? word_of(*flag, ue, &word) : RCCE_ERROR_FLAG_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    rcce_copy(tag_of(word), tag, tag_bytes(tag, length));
    rcce_tell(word, (u32)value);
    return RCCE_SUCCESS;
}

int RCCE_flag_read_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS *value, int ue, void *tag, int length)
{
    volatile u32 *word = NULL;
    int error = value ? word_of(flag, ue, &word) : RCCE_ERROR_VAL_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    *value = (RCCE_FLAG_STATUS)rcce_look(word);
    rcce_polled();
    if (*value)
        rcce_copy(tag, tag_of(word), tag_bytes(tag, length));
    return RCCE_SUCCESS;
}

int RCCE_test_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, int *result, void *tag, int length)
{
    volatile u32 *word = NULL;
    int error = result ? word_of(flag, rcce.ue, &word) : RCCE_ERROR_VAL_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    *result = rcce_look(word) == (u32)value;
    if (*result)
        rcce_copy(tag, tag_of(word), tag_bytes(tag, length));
    else
        rcce_polled();
    return RCCE_SUCCESS;
}

int RCCE_wait_tagged(RCCE_FLAG flag, RCCE_FLAG_STATUS value, void *tag, int length)
{
    int result = 0, error;
    rcce_await((error = RCCE_test_tagged(flag, value, &result, tag, length)) || result);
    return error;
}

int RCCE_probe(RCCE_FLAG flag)
{
    int set = 0;
    return RCCE_test_flag(flag, RCCE_FLAG_SET, &set) == RCCE_SUCCESS && set;
}
