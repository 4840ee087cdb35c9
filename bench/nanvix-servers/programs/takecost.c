/* SPDX-License-Identifier: MIT */
/*
 * takecost.c - copies of a page of another cluster, for bench/nanvix-servers (tools/plugin/clocks.c counts): BATCH lie
 * between marks 1 and 2, each taken, mapped and dropped (docs/servers.md).
 *   takecost home  makes the page, grants it to cluster 0, and sends the words there
 *   takecost takes
 */
#include <string.h>

#define PROGRAM "takecost"
#include "../../../user/programs/mark.h"
#include "../../../user/programs/must.h"
#include "remotecaps.h"

#define SAMPLES 31
#define BATCH   5

static volatile struct caps_channel *channel;

static void home(void)
{
    channel->request.id = (uint32_t)RESULT(amalgam_caps_ask(0, channel, CAPS_CREATE));
    channel->request.node = 0;
    channel->request.cap.rights = CAPS_READ;
    RESULT(amalgam_caps_ask(0, channel, CAPS_GRANT));
    struct words words = { .now = channel->reply.cap, .from = self };
    send(0, PORT, &words, sizeof(words));
    amalgam_sleep_until(AMALGAM_NEVER); /* the board ends with the other one */
}

static void take(const struct caps *cap)
{
    unsigned handle;
    channel->request.cap = *cap;
    channel->request.id = (uint32_t)RESULT(amalgam_caps_ask(0, channel, CAPS_TAKE));
    RESULT(amalgam_caps_map(0, &handle));
    RESULT(amalgam_caps_ask(0, channel, CAPS_DROP));
    RESULT(amalgam_handle_close(handle));
}

int main(int argc, char **argv)
{
    struct amalgam_tunnel t;
    RESULT(amalgam_tunnel_open(0, &t));
    channel = t.memory;
    amalgam_caps_begin(channel);
    open_mail();
    if (argc > 1 && !strcmp(argv[1], "home"))
        home();
    const struct words words = receive();
    for (int i = 0; i < SAMPLES; i++) {
        MARK(1);
        for (int k = 0; k < BATCH; k++)
            take(&words.now);
        MARK(2);
    }
    printf("takecost: done\n");
    return 0;
}
