/* SPDX-License-Identifier: MIT */
/*
 * ports - two guests use ARINC 653 ports over tunnel 0. With end=0 it writes a speed by a sampling port and orders by a
 * queuing port; with end=1 it reads both and checks the sequence of the orders.
 *   end=0 messages=1000 attack=0 (1: writes random words into the tunnel instead, as a hostile peer may)
 *   patience=1 (seconds without an order after which end=1 gives up; use more if the host may stop the peer's core for
 * long)
 */
#include <guest.h>
#include <amalgam_calls.h>
#include <apex.h>

#define TUNNEL_SIZE 4096

static const struct apex_port ports[2][2] = {
    { { "speed", 0, 64, 0, SOURCE }, { "orders", 0, 32, 8, SOURCE } },
    { { "speed", 0, 64, 0, DESTINATION }, { "orders", 0, 32, 8, DESTINATION } },
};

uint64_t apex_now_ns(void) /* from all 64 bits of the time base, so that it does not wrap; a tick is 3 ns */
{
    u32 high, low, again;
    do {
        __asm__ volatile("mftbu %0; mftb %1; mftbu %2" : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    return ((uint64_t)high << 32 | low) * 3;
}

void apex_wait(void) { amalgam_yield(); }
void apex_notify(uint32_t tunnel) { (void)tunnel; }

/*
 * On QEMU's board sync does not order a store before a later load from another address, as another core sees them.
 * Ports do not need that order, only the others.
 */
void apex_fence(void) { __asm__ volatile("sync" : : : "memory"); }

static void source(u32 messages, int32_t speed, int32_t orders)
{
    RETURN_CODE_TYPE code;
    for (u32 i = 1; i <= messages; i++) {
        u32 message[8] = { i, i * 3 };
        WRITE_SAMPLING_MESSAGE(speed, (u8 *)message, 8, &code);
        SEND_QUEUING_MESSAGE(orders, (u8 *)message, 4 + i % 28, -1, &code);
        if (code != NO_ERROR)
            print("ports: send %u: code %u\n", i, code);
    }
    print("ports: sent %u\n", messages);
}

static void destination(u32 messages, int32_t speed, int32_t orders)
{
    u32 disorder = 0, bad = 0, torn = 0, got = 0, last_speed = 0, patience = arg_number("patience", 1);
    while (got < messages) {
        u32 message[16];
        MESSAGE_SIZE_TYPE length;
        VALIDITY_TYPE validity;
        RETURN_CODE_TYPE code;
        RECEIVE_QUEUING_MESSAGE(orders, patience * 1000000000ll, (u8 *)message, &length, &code);
        if (code != NO_ERROR && code != INVALID_CONFIG) {
            print("ports: nothing for %u s after %u, code %u\n", patience, got, code);
            break;
        }
        got++;
        bad += length != 4 + got % 28;
        disorder += message[0] != got;
        READ_SAMPLING_MESSAGE(speed, (u8 *)message, &length, &validity, &code);
        torn += code == NO_ERROR && (length != 8 || message[1] != message[0] * 3 || message[0] < last_speed);
        last_speed = code == NO_ERROR ? message[0] : last_speed;
    }
    print("ports: received %u disorder=%u bad=%u torn=%u last speed=%u\n", got, disorder, bad, torn, last_speed);
}

static void attack(volatile u32 *memory)
{
    u32 state = arg_number("seed", 1) | 1;
    for (u32 n = arg_number("messages", 1000) * 1000; n; n--)
        memory[random_next(&state) % (TUNNEL_SIZE / 4)] = state & 1 ? random_next(&state) : random_next(&state) & 63;
    print("ports: attacked\n");
}

void guest_main(void)
{
    u32 end = arg_number("end", 0) & 1, size = TUNNEL_SIZE, messages = arg_number("messages", 1000);
    s32 gpa = amalgam_create_comm_tunnel(0);
    if (gpa >= -4095 && gpa < 0) {
        print("ports: no tunnel: %d\n", gpa);
        return;
    }
    volatile void *memory = (volatile void *)gpa;
    if (arg_number("attack", 0)) {
        attack(memory);
        return;
    }
    int32_t speed, orders;
    RETURN_CODE_TYPE code = apex_configure(ports[end], 2, &memory, &size, 1);
    CREATE_SAMPLING_PORT("speed", 64, ports[end][0].direction, 100000000, &speed, &code);
    CREATE_QUEUING_PORT("orders", 32, 8, ports[end][1].direction, FIFO, &orders, &code);
    print("ports: end %u ready, code %u\n", end, code);
    wait_ticks(arg_number("wait_us", 0) * 333);
    if (end)
        destination(messages, speed, orders);
    else
        source(messages, speed, orders);
}
