/* SPDX-License-Identifier: MIT */
/* card.h - drives the network card that the board has for processes. */
#ifndef AMALGAM_DRIVERS_CARD_H
#define AMALGAM_DRIVERS_CARD_H

#ifdef __riscv
#include "virtio-net.h"
#else
#include "rtl8139.h"
#endif

#endif
