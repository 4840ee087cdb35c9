/* SPDX-License-Identifier: MIT */
/* upload.c - see upload.h. */
#include "upload.h"

#include <string.h>

/* Returns the upload of a cluster, or NULL. */
static struct processes_upload *of_cluster(struct processes *p, unsigned node)
{
    for (struct processes_upload *u = p->upload; u < p->upload + PROCESSES_UPLOADS; u++)
        if (u->used && u->node == node)
            return u;
    return NULL;
}

static struct processes_upload *of_client(struct processes *p, unsigned node, uint64_t client)
{
    struct processes_upload *u = of_cluster(p, node);
    return u && u->client == client ? u : NULL;
}

/* Returns one that may be used anew by the cluster, or NULL. */
static struct processes_upload *free_for(struct processes *p, unsigned node, uint64_t client, uint64_t now)
{
    struct processes_upload *own = of_cluster(p, node), *found = NULL;
    if (own)
        return own->client == client || now - own->begun >= PROCESSES_UPLOAD_NS ? own : NULL;
    for (struct processes_upload *u = p->upload; u < p->upload + PROCESSES_UPLOADS; u++) {
        if (!u->used)
            return u;
        if (now - u->taken >= PROCESSES_UPLOAD_NS && (!found || u->taken < found->taken))
            found = u;
    }
    return found;
}

enum processes_result upload_begin(struct processes *p, unsigned node, const struct processes_message *m, uint64_t now)
{
    if (!m->number || m->number > p->room || m->value > PROCESSES_TEXTS)
        return PROCESSES_WRONG;
    struct processes_upload *u = free_for(p, node, m->client, now);
    if (!u)
        return PROCESSES_AGAIN;
    bool again = u->used && u->node == node;
    if (!again)
        u->taken = now;
    if (!again || u->client != m->client)
        u->begun = now;
    u->client = m->client;
    u->size = m->number;
    u->texts = m->value;
    u->come = 0;
    u->node = (uint8_t)node;
    u->used = true;
    return PROCESSES_DONE;
}

void upload_put(struct processes *p, unsigned node, const struct processes_message *m)
{
    struct processes_upload *u = of_client(p, node, m->client);
    if (!u || m->number != u->come || m->n > PROCESSES_PART || m->n > u->size + u->texts - u->come)
        return;
    memcpy(u->memory + u->come, m->data, m->n);
    u->come += m->n;
}

struct processes_upload *upload_whole(struct processes *p, unsigned node, uint64_t client)
{
    struct processes_upload *u = of_client(p, node, client);
    return u && u->come == u->size + u->texts ? u : NULL;
}

void upload_name(const struct processes_upload *u, char name[PROCESSES_NAME])
{
    const char *text = (const char *)u->memory + u->size;
    size_t n = u->texts ? strnlen(text, u->texts) : 0;
    const char *end = text + n;
    for (const char *at = text; at < end; at++)
        if (*at == '/')
            text = at + 1;
    n = (size_t)(end - text) < PROCESSES_NAME - 1 ? (size_t)(end - text) : PROCESSES_NAME - 1;
    memset(name, 0, PROCESSES_NAME);
    memcpy(name, text, n);
}
