/* SPDX-License-Identifier: MIT */
/*
 * relay - the real-time end of the ports that a Linux program uses (guests/linux40x/ports.c). The system file's first
 * four channels have one port each: 0 command (sampling, to us)   1 state (sampling, from us)   2 jobs (queuing, to us)
 * 3 results (queuing, from us) A job is returned as a result with each byte changed. A command that is a number is
 * answered in `state` by three times the number. HOLD stops taking jobs and QUIET stops writing `state`, until another
 * number comes. corrupt=1 damages every 100th result and every 50th state, which the other end must notice.
 */
#include <guest.h>
#include <amalgam_calls.h>
#include <apex.h>

enum { COMMAND, STATE, JOBS, RESULTS, PORTS };
enum { HOLD = 0x80000001, QUIET = 0x80000002 };
#define LONGEST 64
#define DEPTH   8

static const struct apex_port ports[PORTS] = {
    { "command", COMMAND, 16, 0, DESTINATION },
    { "state", STATE, 16, 0, SOURCE },
    { "jobs", JOBS, LONGEST, DEPTH, DESTINATION },
    { "results", RESULTS, LONGEST, DEPTH, SOURCE },
};
static const u32 sizes[PORTS] = { 4096, 4096, 4096, 4096 };
static int32_t ids[PORTS];
static bool corrupt;

uint64_t apex_now_ns(void)
{
    u32 high, low, again;
    do {
        __asm__ volatile("mftbu %0; mftb %1; mftbu %2" : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    return ((uint64_t)high << 32 | low) * 3;
}

void apex_wait(void) { amalgam_yield(); }
void apex_notify(uint32_t tunnel) { amalgam_tunnel_notify(tunnel); }
void apex_fence(void) { __asm__ volatile("sync" : : : "memory"); }

static bool begin(void)
{
    volatile void *memory[PORTS];
    RETURN_CODE_TYPE code[PORTS];
    for (u32 i = 0; i < PORTS; i++) {
        s32 gpa = amalgam_create_comm_tunnel(i);
        if (gpa >= -4095 && gpa < 0) {
            print("relay: no tunnel %u: %d\n", i, gpa);
            return false;
        }
        memory[i] = (volatile void *)gpa;
    }
    if (apex_configure(ports, PORTS, memory, sizes, PORTS) != NO_ERROR)
        return false;
    for (u32 i = 0; i < JOBS; i++)
        CREATE_SAMPLING_PORT(ports[i].name, 16, ports[i].direction, 1000000000, &ids[i], &code[i]);
    for (u32 i = JOBS; i < PORTS; i++)
        CREATE_QUEUING_PORT(ports[i].name, LONGEST, DEPTH, ports[i].direction, FIFO, &ids[i], &code[i]);
    for (u32 i = 0; i < PORTS; i++)
        if (code[i] != NO_ERROR)
            return false;
    return true;
}

/* Returns the current command; 0: none yet. */
static u32 command(void)
{
    u32 message[4];
    MESSAGE_SIZE_TYPE length;
    VALIDITY_TYPE validity;
    RETURN_CODE_TYPE code;
    READ_SAMPLING_MESSAGE(ids[COMMAND], (u8 *)message, &length, &validity, &code);
    return code == NO_ERROR && length == 4 ? message[0] : 0;
}

/* Write `state`: the answer to the command, how many jobs came, and how many were reported lost. */
static void answer(u32 to, u32 jobs, u32 gaps)
{
    RETURN_CODE_TYPE code;
    u32 state[4] = { to, to * 3 + (corrupt && to % 50 == 49), jobs, gaps };
    WRITE_SAMPLING_MESSAGE(ids[STATE], (u8 *)state, sizeof(state), &code);
}

/* Count the rings that the UIC has latched since. This guest polls and does not wait for them. */
static u32 rings(u32 before)
{
    u32 rung = mfdcr(DCR_UIC + UIC_SR) & ((1u << PORTS) - 1);
    mtdcr(DCR_UIC + UIC_SR, rung);
    if (rung & ~before)
        print("relay: rung by %x\n", rung | before);
    return rung | before;
}

static void serve(void)
{
    u32 rung = 0;
    u8 message[LONGEST];
    u32 jobs = 0, gaps = 0;
    MESSAGE_SIZE_TYPE length;
    RETURN_CODE_TYPE code;
    for (u32 now = command(); /* for ever */; now = command()) {
        rung = rings(rung);
        if (now && now != QUIET)
            answer(now, jobs, gaps);
        if (now == HOLD) {
            amalgam_yield();
            continue;
        }
        RECEIVE_QUEUING_MESSAGE(ids[JOBS], 0, message, &length, &code);
        if (code == NO_ERROR || code == INVALID_CONFIG) {
            gaps += code == INVALID_CONFIG;
            jobs++;
            for (u32 i = 0; i < length; i++)
                message[i] = (u8)(message[i] * 7 + (corrupt && i == 0 && jobs % 100 == 0));
            SEND_QUEUING_MESSAGE(ids[RESULTS], message, length, -1, &code);
        } else
            amalgam_yield();
    }
}

void guest_main(void)
{
    corrupt = arg_number("corrupt", 0);
    if (!begin()) {
        print("relay: no ports\n");
        return;
    }
    print("relay: ready\n");
    serve();
}
