/* SPDX-License-Identifier: MIT */
/* outputs.c - see outputs.h. */
#include "outputs.h"

#include <amalgam/clusters.h>

#define OUTPUTS 64 /* as many as a kernel has */

static struct output {
    uint8_t node, port;
    bool open;
    unsigned id;
    uint64_t used; /* by which answer last */
} outputs[OUTPUTS];
static uint64_t answers;
uint64_t outputs_dropped;

static void close_output(struct output *o)
{
    amalgam_mailbox_close(o->id, AMALGAM_MAILBOX_CLOSE_CLOSE);
    o->open = false;
}

/* Returns the one that is open and was used longest ago, of those to one cluster; `node` below 0: of all; NULL: none.
 */
static struct output *oldest(int node)
{
    struct output *found = NULL;
    for (struct output *o = outputs; o < outputs + OUTPUTS; o++)
        if (o->open && (node < 0 || o->node == node) && (!found || o->used < found->used))
            found = o;
    return found;
}

/* Open one in a free place. Where the kernel has no more for this process, or for that cluster, one is closed. */
static struct output *open_output(unsigned node, unsigned port)
{
    struct output *o = outputs;
    while (o < outputs + OUTPUTS && o->open)
        o++;
    if (o == outputs + OUTPUTS)
        close_output(o = oldest(-1));
    int64_t id = amalgam_mailbox_open(node, port);
    for (int all = 0; id == -AMALGAM_EAGAIN && all < 2; all++) {
        struct output *old = oldest(all ? -1 : (int)node);
        if (!old)
            continue;
        close_output(old);
        id = amalgam_mailbox_open(node, port);
    }
    if (id < 0)
        return NULL;
    *o = (struct output){ .node = (uint8_t)node, .port = (uint8_t)port, .open = true, .id = (unsigned)id };
    return o;
}

static struct output *output_to(unsigned node, unsigned port)
{
    for (struct output *o = outputs; o < outputs + OUTPUTS; o++)
        if (o->open && o->node == node && o->port == port)
            return o;
    return open_output(node, port);
}

bool outputs_send(unsigned node, unsigned port, const void *data, size_t n)
{
    for (int again = 0; again < 2; again++) {
        struct output *o = output_to(node, port);
        int64_t result = -AMALGAM_EAGAIN;
        if (o) {
            o->used = ++answers;
            result = amalgam_mailbox_try_write(o->id, data, n);
        }
        if (!result)
            return true;
        if (result != -AMALGAM_EIO)
            break;
        close_output(o); /* the cluster was lost: what is opened now is for its next life */
    }
    outputs_dropped++;
    return false;
}
