/* SPDX-License-Identifier: MIT */
/* card.h - drives the network card that the board has for processes; CARD_VIRTIO: a virtio card, also on a PC. */
#ifndef AMALGAM_DRIVERS_CARD_H
#define AMALGAM_DRIVERS_CARD_H

#if defined(__riscv) || defined(CARD_VIRTIO)
#include "virtio-net.h"
#else
#include "rtl8139.h"
#endif

#endif
