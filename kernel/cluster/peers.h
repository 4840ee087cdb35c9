/* SPDX-License-Identifier: MIT */
/* peers.h - the lanes of peer.c, which peer_owners.c and peer_signals.c use, too. */
#ifndef AMALGAM_CLUSTER_PEERS_H
#define AMALGAM_CLUSTER_PEERS_H

#include "peer.h"

extern struct peer {
    struct lane lane;
    bool again; /* poll it next time even if it has no news */
} peers[NOC_CLUSTERS];

#endif
