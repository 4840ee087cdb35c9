/* SPDX-License-Identifier: MIT */
/* gateway_virtio.c - gateway.c by a virtio card, whatever the machine. */
#define CARD_VIRTIO
#include "../../user/programs/gateway.c"
