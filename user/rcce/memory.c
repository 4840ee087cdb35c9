/* SPDX-License-Identifier: MIT */
/*
 * memory.c - RCCE_malloc(), RCCE_put() and RCCE_get(): lines of the message passing buffers.
 *
 * The allocator is first fit and only a UE's own calls change it, so UEs that make the same calls get the same offsets.
 * An offset is all that a UE knows about another one's buffer.
 */
#include <string.h>

#include "rcce.h"

#define MOST_LINES (RCCE_BUFF_SIZE_MAX / RCCE_LINE_SIZE)

static unsigned char length[MOST_LINES]; /* lines of the piece that begins at a line; 0: none begins there */
static bool used[MOST_LINES];

void rcce_lines_init(void)
{
    memset(length, 0, sizeof(length));
    memset(used, 0, sizeof(used));
}

/* Returns how many free lines begin at `line`, at most `most`. */
static u32 free_at(u32 line, u32 most)
{
    u32 n = 0;
    while (n < most && line + n < rcce.n_lines && !used[line + n])
        n++;
    return n;
}

static t_vcharp take(u32 line, u32 n)
{
    length[line] = (unsigned char)n;
    memset(&used[line], 1, n);
    return (t_vcharp)rcce.own->lines + line * RCCE_LINE_SIZE;
}

t_vcharp RCCE_malloc(size_t size)
{
    u32 lines = (u32)(size / RCCE_LINE_SIZE);
    if (!rcce.n || !size || size % RCCE_LINE_SIZE || size > RCCE_BUFF_SIZE_MAX)
        return NULL;
    for (u32 line = 0; line + lines <= rcce.n_lines; line++)
        if (free_at(line, lines) == lines)
            return take(line, lines);
    return NULL;
}

t_vcharp RCCE_malloc_request(size_t size, size_t *got)
{
    u32 want = (u32)(size / RCCE_LINE_SIZE), best = 0, at = 0;
    *got = 0;
    if (!rcce.n || !size || size % RCCE_LINE_SIZE || size > RCCE_BUFF_SIZE_MAX)
        return NULL;
    for (u32 line = 0; line < rcce.n_lines && best < want; line++) {
        u32 n = free_at(line, want);
        if (n > best) {
            best = n;
            at = line;
        }
    }
    *got = (size_t)best * RCCE_LINE_SIZE;
    return best ? take(at, best) : NULL;
}

t_vcharp RCCE_palloc(size_t size, int ue)
{
    t_vcharp own = rcce_ue_ok(ue) ? RCCE_malloc(size) : NULL;
    return own ? (t_vcharp)rcce.mpb[ue] + (own - (t_vcharp)rcce.own) : NULL;
}

bool rcce_offset(const volatile void *at, size_t bytes, size_t *offset)
{
    uintptr_t lines = (uintptr_t)rcce.own->lines, where = (uintptr_t)at,
              size = (uintptr_t)rcce.n_lines * RCCE_LINE_SIZE;
    *offset = where - (uintptr_t)rcce.own;
    return rcce.n && where >= lines && where - lines <= size && bytes <= size - (where - lines);
}

/* Free a piece. The address may lie in any UE's buffer, as RCCE_palloc() returns it. */
void RCCE_free(t_vcharp memory)
{
    for (int ue = 0; ue < rcce.n; ue++) {
        uintptr_t at = (uintptr_t)memory - (uintptr_t)rcce.mpb[ue]->lines, line = at / RCCE_LINE_SIZE;
        if (at % RCCE_LINE_SIZE || line >= rcce.n_lines || !length[line])
            continue;
        memset(&used[line], 0, length[line]);
        length[line] = 0;
        return;
    }
}

static bool overlap(const volatile void *a, const volatile void *b, size_t bytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < bytes : x - y < bytes;
}

/* Find the address in ue's buffer with the same offset as `own`. Returns RCCE_SUCCESS or an error; `outside` if `own`
 * is not in the buffer. */
static int place(t_vcharp own, int bytes, int ue, int outside, t_vcharp *there)
{
    size_t offset;
    if (!rcce_ue_ok(ue))
        return RCCE_ERROR_ID;
    if (bytes < 0 || bytes % RCCE_LINE_SIZE)
        return RCCE_ERROR_MESSAGE_LENGTH;
    if (!rcce_offset(own, (size_t)bytes, &offset))
        return outside;
    *there = (t_vcharp)rcce.mpb[ue] + offset;
    return offset % RCCE_LINE_SIZE ? RCCE_ERROR_ALIGNMENT : RCCE_SUCCESS;
}

int RCCE_put(t_vcharp target, t_vcharp source, int bytes, int ue)
{
    t_vcharp there = NULL;
    int error = place(target, bytes, ue, RCCE_ERROR_TARGET, &there);
    if (!error && !source)
        error = RCCE_ERROR_SOURCE;
    if (!error && overlap(there, source, (size_t)bytes))
        error = RCCE_ERROR_DATA_OVERLAP;
    if (error)
        return rcce_error(DEBUG_COMM, error);
    mpbt_invalidate();
    rcce_copy(there, source, (size_t)bytes);
    mpbt_drain(&rcce.own->drain);
    return RCCE_SUCCESS;
}

int RCCE_get(t_vcharp target, t_vcharp source, int bytes, int ue)
{
    t_vcharp there = NULL;
    int error = place(source, bytes, ue, RCCE_ERROR_SOURCE, &there);
    if (!error && !target)
        error = RCCE_ERROR_TARGET;
    if (!error && overlap(there, target, (size_t)bytes))
        error = RCCE_ERROR_DATA_OVERLAP;
    if (error)
        return rcce_error(DEBUG_COMM, error);
    mpbt_invalidate();
    rcce_copy(target, there, (size_t)bytes);
    mpbt_drain(&rcce.own->drain);
    rcce_polled(); /* the application may wait for a change */
    return RCCE_SUCCESS;
}

int RCCE_put_flag(t_vcharp target, t_vcharp source, int bytes, int ue) { return RCCE_put(target, source, bytes, ue); }

int RCCE_get_flag(t_vcharp target, t_vcharp source, int bytes, int ue) { return RCCE_get(target, source, bytes, ue); }

void *RCCE_memcpy_put(void *to, const void *from, size_t n)
{
    rcce_copy(to, from, n);
    if (rcce.n)
        mpbt_drain(&rcce.own->drain);
    return to;
}

void *RCCE_memcpy_get(void *to, const void *from, size_t n)
{
    mpbt_invalidate();
    rcce_copy(to, from, n);
    rcce_polled();
    return to;
}
