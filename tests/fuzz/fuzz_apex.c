/* SPDX-License-Identifier: MIT */
/*
 * ARINC 653 ports with a peer that writes anything into the tunnel between any two calls.
 * Input: commands; each call works on buffers of exactly the size that the port allows.
 */
#include <stdlib.h>
#include <apex_ends.h>

static void check(int truth)
{
    if (!truth)
        abort();
}

static void attack(uint8_t *tunnel, const uint8_t **in, const uint8_t *end)
{
    if (end - *in < 3)
        return;
    uint32_t at = ((*in)[0] | (*in)[1] << 8) % TUNNEL_BYTES, n = (*in)[2] % 32;
    *in += 3;
    for (; n && *in < end && at < TUNNEL_BYTES; n--)
        tunnel[at++] = *(*in)++;
}

static void use(int which, int32_t speed[2], int32_t orders[2])
{
    RETURN_CODE_TYPE code;
    MESSAGE_SIZE_TYPE length = 0;
    VALIDITY_TYPE validity;
    QUEUING_PORT_STATUS_TYPE status;
    uint8_t *sampled = calloc(1, 60), *queued = calloc(1, 33);
    switch (which) {
    case 0:
        be(0);
        WRITE_SAMPLING_MESSAGE(speed[0], sampled, 60, &code);
        check(code == NO_ERROR);
        break;
    case 1:
        be(1);
        READ_SAMPLING_MESSAGE(speed[1], sampled, &length, &validity, &code);
        check(code == NO_ACTION || (code == NO_ERROR && length <= 60));
        break;
    case 2:
        be(0);
        SEND_QUEUING_MESSAGE(orders[0], queued, 33, 5000, &code);
        check(code == NO_ERROR || code == TIMED_OUT);
        break;
    case 3:
        be(1);
        RECEIVE_QUEUING_MESSAGE(orders[1], 5000, queued, &length, &code);
        check(length <= 33 && (code == NO_ERROR || code == TIMED_OUT || code == INVALID_CONFIG));
        break;
    default:
        be(which & 1);
        GET_QUEUING_PORT_STATUS(orders[which & 1], &status, &code);
        check(code == NO_ERROR && status.NB_MESSAGE <= 4);
    }
    free(sampled);
    free(queued);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t size)
{
    uint8_t *tunnel = calloc(1, TUNNEL_BYTES);
    volatile void *memory[1] = { tunnel };
    uint32_t bytes[1] = { TUNNEL_BYTES };
    int32_t speed[2], orders[2];
    RETURN_CODE_TYPE code;
    for (int i = 0; i < 2; i++) {
        be(i);
        check(apex_configure(ends_ports[i], 2, memory, bytes, 1) == NO_ERROR);
        CREATE_SAMPLING_PORT("speed", 60, ends_ports[i][0].direction, 5000000, &speed[i], &code);
        CREATE_QUEUING_PORT("orders", 33, 4, ends_ports[i][1].direction, FIFO, &orders[i], &code);
    }
    for (const uint8_t *end = in + size; in < end;) {
        int command = *in++;
        if (command & 0x80)
            attack(tunnel, &in, end);
        else
            use(command % 6, speed, orders);
    }
    free(tunnel);
    return 0;
}
