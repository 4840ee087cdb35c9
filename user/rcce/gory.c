/* SPDX-License-Identifier: MIT */
/*
 * gory.c - messages through a buffer and flags of the application. The sender sets the flag `sent` in the receiver's
 * buffer when a chunk lies in its own; the receiver sets `ready` in the sender's buffer when it has taken the chunk.
 */
#include "rcce.h"

struct way {
    size_t offset, chunk;
    RCCE_FLAG *ready, *sent;
};

static bool flag_ok(const RCCE_FLAG *flag)
{
    size_t offset;
    return rcce_offset(*flag, RCCE_LINE_SIZE, &offset) && offset % RCCE_LINE_SIZE == 0;
}

static int check(const void *buffer, t_vcharp combuf, size_t size, int ue, struct way *w)
{
    if (!rcce_ue_ok(ue) || ue == rcce.ue)
        return RCCE_ERROR_ID;
    if (!buffer && size)
        return RCCE_ERROR_VAL_UNDEFINED;
    if (!w->ready || !w->sent)
        return RCCE_ERROR_FLAG_UNDEFINED;
    if (!flag_ok(w->ready) || !flag_ok(w->sent))
        return RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER;
    if (!w->chunk || w->chunk % RCCE_LINE_SIZE)
        return RCCE_ERROR_MESSAGE_LENGTH;
    if (!rcce_offset(combuf, w->chunk, &w->offset))
        return RCCE_ERROR_TARGET;
    return w->offset % RCCE_LINE_SIZE ? RCCE_ERROR_ALIGNMENT : RCCE_SUCCESS;
}

static size_t piece(size_t left, const struct way *w) { return left < w->chunk ? left : w->chunk; }

static int put_piece(const char *data, size_t n, int dest, const struct way *w)
{
    rcce_copy((char *)rcce.own + w->offset, data, n);
    int error = RCCE_flag_write(w->sent, RCCE_FLAG_SET, dest);
    if (!error)
        error = RCCE_wait_until(*w->ready, RCCE_FLAG_SET);
    return error ? error : RCCE_flag_write(w->ready, RCCE_FLAG_UNSET, rcce.ue);
}

static int get_piece(char *data, size_t n, int source, const struct way *w)
{
    int error = RCCE_wait_until(*w->sent, RCCE_FLAG_SET);
    if (!error)
        error = RCCE_flag_write(w->sent, RCCE_FLAG_UNSET, rcce.ue);
    if (error)
        return error;
    rcce_copy(data, (char *)rcce.mpb[source] + w->offset, n); /* the look at the flag has dropped older copies */
    return RCCE_flag_write(w->ready, RCCE_FLAG_SET, source);
}

int RCCE_send_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int dest)
{
    struct way w = { 0, chunk, ready, sent };
    int error = check(buffer, combuf, size, dest, &w);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    for (size_t at = 0; at < size && !error; at += chunk)
        error = put_piece(buffer + at, piece(size - at, &w), dest, &w);
    return error;
}

int RCCE_recv_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                   int source, RCCE_FLAG *probe)
{
    struct way w = { 0, chunk, ready, sent };
    int error = check(buffer, combuf, size, source, &w);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (probe)
        error = RCCE_wait_until(*probe, RCCE_FLAG_SET);
    for (size_t at = 0; at < size && !error; at += chunk)
        error = get_piece(buffer + at, piece(size - at, &w), source, &w);
    return error;
}

int RCCE_recv_test_gory(char *buffer, t_vcharp combuf, size_t chunk, RCCE_FLAG *ready, RCCE_FLAG *sent, size_t size,
                        int source, int *test, RCCE_FLAG *probe)
{
    struct way w = { 0, chunk, ready, sent };
    int error = test ? check(buffer, combuf, size, source, &w) : RCCE_ERROR_VAL_UNDEFINED;
    if (!error)
        error = RCCE_test_flag(probe ? *probe : *sent, RCCE_FLAG_SET, test);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    return *test ? RCCE_recv_gory(buffer, combuf, chunk, ready, sent, size, source, probe) : RCCE_SUCCESS;
}
