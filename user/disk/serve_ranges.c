/* SPDX-License-Identifier: MIT */
/* serve_ranges.c - ranges of a disk for others: amalgam/disk.h. */
#include <amalgam/blocks.h>
#include <amalgam/disk.h>
#include <pthread.h>
#include <stdlib.h>

#include "../drivers/virtio-blk.h"
#include "../p9/tunnel_server.h"
#include "range.h"

struct served {
    struct tunnel_server at; /* the first: it is what the functions below get */
    struct range_client client;
    unsigned range; /* the handle that the client gets */
    uint32_t rights;
};

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* request at a time */
static struct disk disk;
static bool opened;

static void forget(struct tunnel_server *at) { range_forget(&((struct served *)at)->client); }

/* Each life gets the handle. Who lets eight of them lie gets no more. */
static void meets(struct tunnel_server *at)
{
    const struct served *s = (struct served *)at;
    amalgam_handle_send(at->tunnel.index, s->range, s->rights);
}

static void answer(struct tunnel_server *at, uint8_t *question, uint8_t *to)
{
    struct served *s = (struct served *)at;
    pthread_mutex_lock(&one);
    range_answer(&s->client, at->tunnel.index, &disk, (const struct range_question *)question,
                 (struct range_answer *)to);
    pthread_mutex_unlock(&one);
}

/* Open the process's only disk, once. */
static int64_t open_disk(unsigned device)
{
    pthread_mutex_lock(&one);
    int64_t error = opened ? 0 : disk_open(&disk, device);
    opened |= !error;
    pthread_mutex_unlock(&one);
    return error;
}

int amalgam_disk_serve_range(uint32_t index, unsigned device, uint32_t first, uint32_t blocks, bool read_only)
{
    struct served *s = calloc(1, sizeof *s);
    int64_t error = s ? open_disk(device) : -AMALGAM_ENOMEM;
    int64_t range = error ? error : amalgam_blocks_make(disk.device, first, blocks, !read_only);
    if (range >= 0) {
        error = tunnel_server_begin(&s->at, index);
        if (!error && s->at.link.area < sizeof(struct range_question))
            error = -AMALGAM_EINVAL;
        if (!error) {
            s->at.forget = forget;
            s->at.meets = meets;
            s->at.answer = answer;
            s->client.shown = -1;
            s->range = (unsigned)range;
            s->rights = AMALGAM_HANDLE_READ | AMALGAM_HANDLE_SEND | (read_only ? 0 : AMALGAM_HANDLE_WRITE);
            error = tunnel_serve(&s->at);
            forget(&s->at);
        }
        amalgam_handle_close((unsigned)range);
    }
    free(s);
    return (int)(range < 0 ? range : error);
}
