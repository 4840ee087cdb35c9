/* SPDX-License-Identifier: MIT */
/* output.c - see output.h. */
#include "output.h"

#include <string.h>

static void close_pipe(struct processes *p, struct processes_process *q)
{
    if (q->output != PROCESSES_NO_OUTPUT)
        p->calls->close(q->output);
    q->output = PROCESSES_NO_OUTPUT;
}

bool output_is_over(struct processes *p, struct processes_process *q)
{
    if (q->output != PROCESSES_NO_OUTPUT && p->calls->read(q->output, NULL, 0))
        return false;
    close_pipe(p, q);
    return true;
}

void output_drop(struct processes *p, struct processes_process *q)
{
    q->dropped |= !output_is_over(p, q);
    close_pipe(p, q);
}

enum processes_result output_read(struct processes *p, struct processes_process *q, struct processes_message *m)
{
    memset(m->data, 0, sizeof(m->data));
    m->n = 0;
    if (q->dropped) {
        q->dropped = false;
        return PROCESSES_REFUSED;
    }
    if (!q->child || q->output == PROCESSES_NO_OUTPUT)
        return PROCESSES_DONE;
    int64_t n = p->calls->read(q->output, m->data, sizeof(m->data));
    m->n = n > 0 && n <= PROCESSES_PART ? (uint8_t)n : 0;
    return n < 0 ? PROCESSES_RUNS : PROCESSES_DONE;
}
