/* SPDX-License-Identifier: MIT */
/* start.c - see start.h. */
#include "start.h"

#include <stdbool.h>

static struct {
    bool made; /* both ends are this process's */
    uint8_t reads, writes;
} pipe;

static int64_t make_pipe(void)
{
    int64_t ends = pipe.made ? 0 : amalgam_spawn_pipe();
    if (pipe.made || ends < 0)
        return ends;
    pipe.reads = (uint8_t)(ends & 0xff);
    pipe.writes = (uint8_t)(ends >> 8);
    pipe.made = true;
    return 0;
}

int64_t start_program(struct amalgam_program *p, uint32_t *output)
{
    int64_t error = output ? make_pipe() : 0;
    if (error)
        return error;
    p->n_handles = output ? 1 : 0;
    p->handle[0] = pipe.writes;
    p->rights[0] = AMALGAM_HANDLE_WRITE;
    int64_t child = amalgam_spawn_start(p);
    if (output && child > 0) {
        amalgam_handle_close(pipe.writes); /* so that what reads sees the program's end */
        *output = pipe.reads;
        pipe.made = false;
    }
    return child == -AMALGAM_EAGAIN ? 0 : child;
}
