/* SPDX-License-Identifier: MIT */
/*
 * queuing.c - queuing ports: every message once, in order.
 *
 * The source counts the messages that it wrote, the destination those that it took, each in its own memory; the words
 * in the tunnel only report these counts. A count of the peer that cannot be right (more taken than written, more
 * waiting than there are slots) comes from a hostile or restarted peer, and is limited to what is possible.
 */
#include "port.h"

void CREATE_QUEUING_PORT(const char *name, MESSAGE_SIZE_TYPE max_message_size, MESSAGE_RANGE_TYPE max_nb_message,
                         PORT_DIRECTION_TYPE direction, QUEUING_DISCIPLINE_TYPE discipline, QUEUING_PORT_ID_TYPE *id,
                         RETURN_CODE_TYPE *code)
{
    *code = discipline == FIFO && max_nb_message ? port_create(name, max_message_size, max_nb_message, direction, id)
                                                 : INVALID_CONFIG;
}

/* Returns how many messages wait, never more than there are slots. */
static uint32_t waiting(struct port *p)
{
    if (p->config->direction == SOURCE) {
        uint32_t n = p->count - p->box->taken;
        return n <= p->slots ? n : p->slots; /* the destination has not noticed that this end was restarted */
    }
    uint32_t written = p->box->written;
    if (written - p->count > p->slots) { /* the source was restarted, or lies: continue from its count */
        p->count = written > p->slots ? written : 0;
        p->box->taken = p->count;
    }
    return written - p->count;
}

static bool passed(uint64_t start, SYSTEM_TIME_TYPE time_out)
{
    return time_out >= 0 && apex_now_ns() - start >= (uint64_t)time_out;
}

void SEND_QUEUING_MESSAGE(QUEUING_PORT_ID_TYPE id, const uint8_t *message, MESSAGE_SIZE_TYPE length,
                          SYSTEM_TIME_TYPE time_out, RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, true);
    *code = !p || !length                          ? INVALID_PARAM
            : length > p->config->max_message_size ? INVALID_CONFIG
            : p->config->direction != SOURCE       ? INVALID_MODE
                                                   : NO_ERROR;
    if (*code != NO_ERROR)
        return;
    for (uint64_t start = apex_now_ns(); waiting(p) == p->slots; apex_wait())
        if (passed(start, time_out)) {
            p->lost++;
            *code = time_out ? TIMED_OUT : NOT_AVAILABLE;
            return;
        }
    slot_put(slot_at(p->box, p->config->max_message_size, p->count % p->slots), p->count + 1, p->lost, 0, message,
             length);
    apex_fence();
    p->box->written = ++p->count;
    apex_notify(p->config->tunnel);
}

void RECEIVE_QUEUING_MESSAGE(QUEUING_PORT_ID_TYPE id, SYSTEM_TIME_TYPE time_out, MESSAGE_ADDR_TYPE message,
                             MESSAGE_SIZE_TYPE *length, RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, true);
    uint32_t lost = 0;
    uint64_t time;

    *length = 0;
    *code = !p ? INVALID_PARAM : p->config->direction != DESTINATION ? INVALID_MODE : NO_ERROR;
    if (*code != NO_ERROR)
        return;
    for (uint64_t start = apex_now_ns();; apex_wait()) {
        if (waiting(p)) {
            apex_fence();
            bool whole = slot_take(slot_at(p->box, p->config->max_message_size, p->count % p->slots), p->count + 1,
                                   message, p->config->max_message_size, length, &lost, &time);
            apex_fence();
            p->box->taken = ++p->count; /* skip a damaged message */
            if (whole) {
                if (lost != p->lost)
                    *code = INVALID_CONFIG;
                p->lost = lost;
                return;
            }
            *length = 0;
            p->lost++;
        }
        if (passed(start, time_out)) {
            *code = time_out ? TIMED_OUT : NOT_AVAILABLE;
            return;
        }
    }
}

void GET_QUEUING_PORT_STATUS(QUEUING_PORT_ID_TYPE id, QUEUING_PORT_STATUS_TYPE *status, RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, true);
    *code = p ? NO_ERROR : INVALID_PARAM;
    if (p)
        *status =
            (QUEUING_PORT_STATUS_TYPE){ waiting(p), p->slots, p->config->max_message_size, p->config->direction, 0 };
}

void GET_QUEUING_PORT_ID(const char *name, QUEUING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code)
{
    int32_t i = port_named(name, true);
    *code = i >= 0 && port_of(i + 1, true) ? NO_ERROR : INVALID_CONFIG;
    if (*code == NO_ERROR)
        *id = i + 1;
}
