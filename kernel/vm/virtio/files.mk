# SPDX-License-Identifier: MIT
files-y := block.c console.c mmio.c net.c queue.c rng.c
# A disk whose other half is the Linux above.
files-$(CONFIG_SPLIT) += split_block.c
