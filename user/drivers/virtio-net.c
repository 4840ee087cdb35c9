/* SPDX-License-Identifier: MIT */
/* virtio-net.c - drives a virtio network card for a stack in another process (ethernet.h). */
#include "virtio-net.h"

#define PROGRAM "virtio-net"
#include "ethernet.h"
