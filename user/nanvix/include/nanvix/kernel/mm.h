/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/mm.h - the addresses at which programs can allocate pages. Image, stacks and heap lie elsewhere. */
#ifndef NANVIX_KERNEL_MM_H_
#define NANVIX_KERNEL_MM_H_

#include <nanvix/hal.h>

#if defined(__x86_64__)
#define UBASE_VIRT 0x8800000000ul
#elif WORD_SIZE == 8
#define UBASE_VIRT 0x1800000000ul
#else
#define UBASE_VIRT 0x70000000ul
#endif
#define UMEM_SIZE  0x1000000ul     /* bytes of addresses; the number of pages depends on `memory:` of the system file */
#define KBASE_VIRT (-0x80000000ul) /* never an address of a program */

#define FRAME_NULL         ((frame_t)-1)
#define NUM_UFRAMES        (UMEM_SIZE / PAGE_SIZE)            /* numbers of frames */
#define frame_id_to_num(n) ((UBASE_VIRT >> PAGE_SHIFT) + (n)) /* the n-th one, from 0 on */

#endif
