/* SPDX-License-Identifier: MIT */
/*
 * process/chip.h - what of an SCC a process reaches itself: addresses that are the same in every process, for the
 * kernel (chip/chip.c) and for the library of its programs (user/rcce/process/).
 *
 * A page of information, which it can read only, is there always. A process whose record gives it shared memory also
 * has that, and the upper half of the message passing buffer of each core that runs it; and it can read which life of
 * its kernel each core is in. The lower halves are the kernels' and native programs'.
 */
#ifndef AMALGAM_PROCESS_CHIP_H
#define AMALGAM_PROCESS_CHIP_H

#include <stdint.h>

#define CHIP_VERSION 4u
#define CHIP_INFO    0xde000000u /* struct chip_info */
/* with shared memory: for each core the number of its kernel, 32 bits, which changes when the kernel ends or is found
 * dead (native/calls.h); 0: none runs */
#define CHIP_LIVES    0xde001010u
#define CHIP_MPB      0xde040000u /* CHIP_MPB_SIZE bytes for each core; a core that does not run it has no page here */
#define CHIP_MPB_SIZE 4096u
#define CHIP_SHARED   0xde100000u /* shared_size bytes, zero when the board starts */
#define CHIP_SVM      0xde200000u /* pages of shared virtual memory, as svm_alloc() places regions in them */

struct chip_info {
    uint32_t version;
    uint32_t core;        /* this core's number */
    uint32_t cores;       /* number of cores */
    uint32_t khz;         /* rate of the time stamp counter */
    uint32_t ues[2];      /* bit n: core n runs this process, too */
    uint32_t shared_size; /* bytes; 0: no shared memory and no buffers */
    uint32_t chosen[2];   /* bit n: core n boots */
};

#endif
