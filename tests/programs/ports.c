/* SPDX-License-Identifier: MIT */
/*
 * ports.c - checks what a process's ports of switches do: arguments [NAME, FRAMES]. Its ports 0 and 1 are at one switch
 * that nobody else is at; by port 2 it then sends so many frames of random bytes to guests, groups and nobody.
 */
#include <amalgam/port.h>
#include <pthread.h>
#include <string.h>

#define PROGRAM "ports"
#include "../../user/programs/must.h"

#define RING   32u
#define LENGTH 100u

static uint8_t address[2][6];
static unsigned port[3];

static void find(void)
{
    for (unsigned i = 0; i < 3; i++)
        port[i] = (unsigned)RESULT(amalgam_port_open(i));
    MUST(amalgam_port_open(3) == -AMALGAM_ENOENT);
    for (unsigned i = 0; i < 2; i++) {
        int64_t number = RESULT(amalgam_port_info(port[i], AMALGAM_PORT_INFO_ADDRESS));
        for (unsigned k = 0; k < 6; k++)
            address[i][k] = (uint8_t)(number >> 8 * (5 - k));
        MUST(amalgam_port_info(port[i], AMALGAM_PORT_INFO_NETWORK) == 1);
        MUST(!amalgam_port_info(port[i], AMALGAM_PORT_INFO_UPLINK));
    }
    MUST(memcmp(address[0], address[1], 6));
}

/* A frame from port 0 to port 1 with a mark in it. Returns the error. */
static int64_t send(uint8_t mark, size_t n)
{
    uint8_t frame[1600] = { 0 };
    memcpy(frame, address[1], 6);
    memcpy(frame + 6, address[0], 6);
    frame[13] = mark;
    return amalgam_port_send(port[0], frame, n);
}

/* The mark of the next frame that has come to port 1; -1: there is none. */
static int next(void)
{
    uint8_t frame[AMALGAM_PORT_FRAME];
    int64_t n = amalgam_port_receive(port[1], frame, sizeof(frame));
    if (n == -AMALGAM_EAGAIN)
        return -1;
    MUST(n == LENGTH && !memcmp(frame, address[1], 6) && !memcmp(frame + 6, address[0], 6));
    return frame[13];
}

static void check_wrong_calls(void)
{
    uint8_t frame[AMALGAM_PORT_FRAME];
    MUST(send(0, 13) == -AMALGAM_EINVAL && send(0, 1523) == -AMALGAM_EINVAL);
    MUST(amalgam_port_send(31, frame, LENGTH) == -AMALGAM_EBADF);
    MUST(amalgam_port_send(32, frame, LENGTH) == -AMALGAM_ERANGE);
    MUST(amalgam_port_send(port[0], (void *)16, LENGTH) == -AMALGAM_EFAULT);
    MUST(amalgam_port_send(port[0], (void *)~(uintptr_t)50, LENGTH) == -AMALGAM_EFAULT);
    MUST(amalgam_port_receive(31, frame, LENGTH) == -AMALGAM_EBADF);
    MUST(amalgam_port_wait(31, AMALGAM_NEVER) == -AMALGAM_EBADF);
    MUST(amalgam_port_info(31, AMALGAM_PORT_INFO_LOST) == -AMALGAM_EBADF);
    MUST(amalgam_port_wait(port[1], amalgam_clock() + 1000000) == -AMALGAM_ETIMEDOUT);
    MUST(next() == -1);
    MUST(!send(7, LENGTH));
    MUST(amalgam_port_receive(port[1], (void *)16, LENGTH) == -AMALGAM_EFAULT);
}

static void check_order_and_loss(void)
{
    int64_t lost = amalgam_port_info(port[1], AMALGAM_PORT_INFO_LOST);
    for (uint8_t i = 0; i < 100; i++)
        MUST(!send(i, LENGTH));
    MUST(amalgam_port_info(port[1], AMALGAM_PORT_INFO_LOST) == lost + 100 - RING);
    MUST(!amalgam_port_wait(port[1], AMALGAM_NEVER));
    for (int i = 0; i < (int)RING; i++)
        MUST(next() == i);
    MUST(next() == -1);
}

static void *await_frame(void *unused)
{
    MUST(!amalgam_port_wait(port[1], AMALGAM_NEVER));
    MUST(next() == 9);
    return unused;
}

static void check_wait(void)
{
    pthread_t waits;
    MUST(!pthread_create(&waits, NULL, await_frame, NULL));
    amalgam_sleep_until(amalgam_clock() + 20000000);
    MUST(!send(9, LENGTH));
    pthread_join(waits, NULL);
}

static void flood(unsigned n)
{
    static uint32_t frame[(AMALGAM_PORT_FRAME + 3) / 4];
    uint32_t dice = 1;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < sizeof(frame) / 4; k++)
            frame[k] = dice = dice * 1664525 + 1013904223;
        uint8_t *to = (uint8_t *)frame;
        if (i % 4 == 0)
            memset(to, 0xff, 6);
        else if (i % 4 < 3) /* the guest's, as the tools make it */
            memcpy(to, (uint8_t[]){ 0x02, 0x41, 0x4d, 0x47, 0, 0 }, 6);
        if (dice & 1 << 20) /* of IP */
            memcpy(to + 12, (uint8_t[]){ 8, 0, 0x45 }, 3);
        MUST(!amalgam_port_send(port[2], frame, 14 + (dice >> 8) % (AMALGAM_PORT_FRAME - 13)));
    }
    MUST(amalgam_port_info(port[2], AMALGAM_PORT_INFO_LOST) >= n / 4);
}

int main(int argc, char **argv)
{
    find();
    check_wrong_calls();
    check_order_and_loss();
    check_wait();
    flood(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
    puts("ports: all right");
    return 0;
}
