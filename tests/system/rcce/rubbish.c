/* SPDX-License-Identifier: MIT */
/*
 * rubbish.c - the last UE does its worst: RCCE and iRCCE with every class of pointer and number, stores of rubbish
 * anywhere in its part of the chip but one word, calls of the kernel with addresses there and outside. The others send
 * each other messages, which may be wrong or never come. arguments: [rubbish, steps].
 */
#include <iRCCE.h>
#include <RCCE_lib.h>
#include <amalgam/calls.h>
#include <process/chip.h>
#include <stdio.h>
#include <stdlib.h>

#define AREA  16384
#define OPEN  8
#define LINES (4 * RCCE_LINE_SIZE)
#define LIFE  185 /* the word of a buffer that says whether a UE is in this run: the library would end it soon */

static char area[AREA] __attribute__((aligned(32)));
static iRCCE_SEND_REQUEST sends[OPEN];
static iRCCE_RECV_REQUEST receives[OPEN];
static uint64_t state;
static int refused, taken;

static unsigned any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16);
}

/* A UE, or no UE's number. */
static int some_ue(void) { return any() % 4 ? (int)(any() % (unsigned)(RCCE_num_ues() + 2)) - 1 : (int)any(); }

static int bytes(void)
{
    static const int sizes[] = { -1, 0, 1, 31, 32, 64, 2944, 3264, 3296, 4096, 8192, 1 << 20, 0x7fffffff };
    return any() % 4 ? sizes[any() % (sizeof(sizes) / sizeof(*sizes))] : (int)any();
}

/* Anywhere in its part of the chip that can be written. */
static volatile uint32_t *reached(void)
{
    const struct chip_info *info = (const struct chip_info *)CHIP_INFO;
    if (any() % 4 == 0)
        return (volatile uint32_t *)(CHIP_SHARED + any() % info->shared_size / 4 * 4);
    uintptr_t buffer = (uintptr_t)RC_COMM_BUFFER_START((int)(any() % (unsigned)RCCE_num_ues()));
    unsigned word = any() % (CHIP_MPB_SIZE / 4);
    return (volatile uint32_t *)(buffer / CHIP_MPB_SIZE * CHIP_MPB_SIZE) + (word == LIFE ? LIFE + 1 : word);
}

static t_vcharp pointer(void)
{
    static const uint32_t bases[] = { 0,          CHIP_INFO,  CHIP_MPB,   CHIP_SHARED, CHIP_SHARED - 16, 0x80000000,
                                      0x80101000, 0x80400000, 0x90000000, 0x100000,    0xe0000000 - 16,  0xf0000000 };
    unsigned kind = any() % 24;
    if (kind < sizeof(bases) / sizeof(*bases))
        return (t_vcharp)(bases[kind] + any() % 64);
    return kind < 20 ? (t_vcharp)reached() : (t_vcharp)area + any() % LINES;
}

/* What has to be checked is any pointer; what the library reads or writes for its caller is in `area`. */
static int on_buffers(void)
{
    RCCE_FLAG flag = (RCCE_FLAG)pointer();
    RCCE_FLAG_STATUS status;
    switch (any() % 8) {
    case 0: return RCCE_put(pointer(), (t_vcharp)area, bytes() & 0x1fff, some_ue());
    case 1: return RCCE_get((t_vcharp)area, pointer(), bytes(), some_ue());
    case 2: return RCCE_flag_write(&flag, (int)any() % 3, some_ue());
    case 3: return RCCE_flag_read(flag, &status, some_ue());
    case 4: return RCCE_flag_write_tagged(&flag, (int)any(), some_ue(), area, bytes());
    case 5: return RCCE_flag_free(&flag);
    case 6: RCCE_free(pointer()); return RCCE_malloc((size_t)bytes()) ? 0 : -1;
    default: RCCE_shfree(pointer()); return RCCE_shmalloc((size_t)bytes()) ? 0 : -1;
    }
}

static int on_messages(void)
{
    unsigned i = any() % OPEN;
    int test, divider, level;
    RCCE_REQUEST power;
    switch (any() % 10) {
    case 0: return iRCCE_isend(area, any() % AREA, some_ue(), &sends[i]);
    case 1: return iRCCE_irecv(area, any() % AREA, some_ue(), &receives[i]);
    case 2: return iRCCE_isend_test(&sends[i], &test);
    case 3: return iRCCE_irecv_test(&receives[i], &test);
    case 4: return iRCCE_isend_cancel(&sends[i], &test);
    case 5: return iRCCE_irecv_cancel(&receives[i], &test);
    case 6: return RCCE_release_lock(some_ue());
    case 7: return RCCE_try_lock(some_ue());
    case 8: return RCCE_iset_power((int)any() % 20, &power, &divider, &level);
    default: return iRCCE_iprobe(some_ue(), &level, &test);
    }
}

/* Numbers that do not end it or wait, and what it has anywhere. */
static int on_the_kernel(void)
{
    static const unsigned calls[] = { AMALGAM_CONSOLE_WRITE, AMALGAM_WAKE,          AMALGAM_INFO,      AMALGAM_UNMAP,
                                      AMALGAM_PROTECT,       AMALGAM_FRAME_OF,      AMALGAM_FRAME_MAP, AMALGAM_MAP,
                                      AMALGAM_TUNNEL_INFO,   AMALGAM_TUNNEL_NOTIFY, 0x41500100,        0 };
    unsigned call = calls[any() % (sizeof(calls) / sizeof(*calls))];
    uintptr_t at = call == AMALGAM_CONSOLE_WRITE ? (uintptr_t)pointer() : CHIP_INFO + any() % 0x200 * 4096;
    return (int)amalgam_call(call, at, any() % 2 ? 8 : 4096 * (any() % 4), any() % 4, any());
}

static void step(void)
{
    int result = 0;
    switch (any() % 4) {
    case 0: *reached() = any() % 2 ? any() : any() % 256 * 0x1010101; break;
    case 1: result = on_buffers(); break;
    case 2: result = on_messages(); break;
    default: result = on_the_kernel(); break;
    }
    refused += result != 0;
    taken += result == 0;
}

static void talk(int me, int last)
{
    for (;;) {
        int other = me ? 0 : 1 + (int)(any() % (unsigned)(last - 1));
        if (me) {
            RCCE_recv(area, 64, 0);
            RCCE_send(area, 64, 0);
        } else {
            RCCE_send(area, 64, other);
            RCCE_recv(area, 64, other);
        }
    }
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    iRCCE_init();
    int me = RCCE_ue(), last = RCCE_num_ues() - 1, steps = argc > 1 ? atoi(argv[1]) : 10000;
    state = (uint64_t)amalgam_clock() << 8 | (unsigned)me | 1;
    if (me < last)
        talk(me, last);
    for (int i = 0; i < steps; i++)
        step();
    printf("\nrubbish: %d steps, %d refused, %d taken\n", steps, refused, taken);
    return 0;
}
