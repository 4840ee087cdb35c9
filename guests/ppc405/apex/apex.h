/* SPDX-License-Identifier: MIT */
/*
 * apex.h - ARINC 653 ports (part 1, 3.6: interpartition communication) over the hypervisor's tunnels.
 *
 * A tunnel is memory that two guests share. Each channel of ports has a box of its own in it. Both ends compute the
 * layout from the same list of ports, so nothing about the layout is read from the memory. The source writes all of the
 * box but one word, which the destination writes. The other guest is not trusted: it may write anything at any time.
 * Therefore every index and length is copied once, checked, and only then used; a message that changed while it was
 * copied is dropped. The peer can cause NOT_AVAILABLE and a validity of INVALID, but never INVALID_PARAM. The worst
 * that a hostile source can do is to send messages; a hostile destination can only lose its own messages.
 *
 * Sampling ports have two copies with a sequence number each; the reader takes the newer complete one. Queuing ports
 * have a ring of slots of fixed size; a message has a checksum, so that an incomplete one is noticed. Times are in
 * nanoseconds. Either end may restart; the other continues with the new messages.
 */
#ifndef APEX_H
#define APEX_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    NO_ERROR,
    NO_ACTION,
    NOT_AVAILABLE,
    INVALID_PARAM,
    INVALID_CONFIG,
    INVALID_MODE,
    TIMED_OUT
} RETURN_CODE_TYPE;
typedef enum { SOURCE, DESTINATION } PORT_DIRECTION_TYPE;
typedef enum { INVALID, VALID } VALIDITY_TYPE;
typedef enum { FIFO } QUEUING_DISCIPLINE_TYPE;
typedef int32_t SAMPLING_PORT_ID_TYPE, QUEUING_PORT_ID_TYPE;
typedef uint32_t MESSAGE_SIZE_TYPE, MESSAGE_RANGE_TYPE, WAITING_RANGE_TYPE;
typedef uint8_t *MESSAGE_ADDR_TYPE;
typedef int64_t SYSTEM_TIME_TYPE; /* nanoseconds; as a timeout: 0: do not wait, negative: for ever */
typedef char PORT_NAME_TYPE[31];

typedef struct {
    SYSTEM_TIME_TYPE REFRESH_PERIOD;
    MESSAGE_SIZE_TYPE MAX_MESSAGE_SIZE;
    PORT_DIRECTION_TYPE PORT_DIRECTION;
    VALIDITY_TYPE LAST_MSG_VALIDITY;
} SAMPLING_PORT_STATUS_TYPE;

typedef struct {
    MESSAGE_RANGE_TYPE NB_MESSAGE, MAX_NB_MESSAGE;
    MESSAGE_SIZE_TYPE MAX_MESSAGE_SIZE;
    PORT_DIRECTION_TYPE PORT_DIRECTION;
    WAITING_RANGE_TYPE WAITING_PROCESSES;
} QUEUING_PORT_STATUS_TYPE;

void CREATE_SAMPLING_PORT(const char *name, MESSAGE_SIZE_TYPE max_message_size, PORT_DIRECTION_TYPE direction,
                          SYSTEM_TIME_TYPE refresh_period, SAMPLING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code);
void WRITE_SAMPLING_MESSAGE(SAMPLING_PORT_ID_TYPE id, const uint8_t *message, MESSAGE_SIZE_TYPE length,
                            RETURN_CODE_TYPE *code);
void READ_SAMPLING_MESSAGE(SAMPLING_PORT_ID_TYPE id, MESSAGE_ADDR_TYPE message, MESSAGE_SIZE_TYPE *length,
                           VALIDITY_TYPE *validity, RETURN_CODE_TYPE *code);
void GET_SAMPLING_PORT_STATUS(SAMPLING_PORT_ID_TYPE id, SAMPLING_PORT_STATUS_TYPE *status, RETURN_CODE_TYPE *code);
void GET_SAMPLING_PORT_ID(const char *name, SAMPLING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code);

void CREATE_QUEUING_PORT(const char *name, MESSAGE_SIZE_TYPE max_message_size, MESSAGE_RANGE_TYPE max_nb_message,
                         PORT_DIRECTION_TYPE direction, QUEUING_DISCIPLINE_TYPE discipline, QUEUING_PORT_ID_TYPE *id,
                         RETURN_CODE_TYPE *code);
/* time_out: how long to wait for room, or for a message. The wait calls apex_wait() in a loop. */
void SEND_QUEUING_MESSAGE(QUEUING_PORT_ID_TYPE id, const uint8_t *message, MESSAGE_SIZE_TYPE length,
                          SYSTEM_TIME_TYPE time_out, RETURN_CODE_TYPE *code);
/* INVALID_CONFIG with a message: messages before it were lost by overflow. */
void RECEIVE_QUEUING_MESSAGE(QUEUING_PORT_ID_TYPE id, SYSTEM_TIME_TYPE time_out, MESSAGE_ADDR_TYPE message,
                             MESSAGE_SIZE_TYPE *length, RETURN_CODE_TYPE *code);
void GET_QUEUING_PORT_STATUS(QUEUING_PORT_ID_TYPE id, QUEUING_PORT_STATUS_TYPE *status, RETURN_CODE_TYPE *code);
void GET_QUEUING_PORT_ID(const char *name, QUEUING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code);

/* --- configuration, in place of ARINC 653's configuration tables --------------------- */
#define APEX_PORTS 16

struct apex_port { /* in the same order on both ends */
    const char *name;
    uint32_t tunnel;                           /* index for apex_tunnel() */
    uint32_t max_message_size, max_nb_message; /* max_nb_message 0: sampling */
    PORT_DIRECTION_TYPE direction;             /* the direction of this end */
};

/* Call it once, before ports are created. Tunnel i has size[i] bytes of memory at tunnels[i]. Returns INVALID_CONFIG if
 * the boxes do not fit. */
RETURN_CODE_TYPE apex_configure(const struct apex_port *ports, uint32_t n_ports, volatile void *const *tunnels,
                                const uint32_t *sizes, uint32_t n_tunnels);

/* --- what the guest (or the test) provides ------------------------------------------- */
uint64_t apex_now_ns(void);
void apex_wait(void);              /* wait a little: yield or sleep */
void apex_notify(uint32_t tunnel); /* a message was written */
void apex_fence(void);             /* earlier accesses before later ones, for the other core too */

#endif
