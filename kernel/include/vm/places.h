/* SPDX-License-Identifier: MIT */
/*
 * vm/places.h - addresses and interrupt inputs of a virtual PC that its firmware tables tell a guest. The kernel places
 * devices by these numbers. The host's tools read this header to make the tables (tools/amalgam/system/acpi.py), so
 * there is one number on each line.
 */
#ifndef VM_PLACES_H
#define VM_PLACES_H

#define RAM_HOLE      0xc0000000ul /* device registers from here to 4 GiB, where RAM goes on */
#define VIRTIO_BASE   0xd0000000ul /* virtio over MMIO: a page of registers for each slot */
#define VIRTIO_STRIDE 0x1000
#define VIRTIO_SLOTS  8
#define VIRTIO_GSI    16 /* input of slot 0, behind the 16 of the ISA bus */
#define RING1_LINE    9 /* of slot 0 in a guest in ring 1, which has 16 lines; slot n has the next but n, in a circle */
#define RING1_LINES   7
#define TUNNEL_BASE   0xe0000000ul
#define TUNNEL_STRIDE 0x100000
#define TUNNEL_GSI    24        /* input of the first tunnel, behind virtio's */
#define FIRMWARE_BASE 0xf0000ul /* the firmware tables */
#define FIRMWARE_MAX  0xfff0ul  /* up to the code at F000:FFF0 */

#endif
