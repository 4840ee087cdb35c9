/* SPDX-License-Identifier: MIT */
/* sampling.c - sampling ports: a read returns the newest message, any number of times. */
#include "port.h"

/* nanoseconds by which a message of another core may seem to come from the future, because clocks differ a little */
#define SKEW 1000000

void CREATE_SAMPLING_PORT(const char *name, MESSAGE_SIZE_TYPE max_message_size, PORT_DIRECTION_TYPE direction,
                          SYSTEM_TIME_TYPE refresh_period, SAMPLING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code)
{
    *code = refresh_period > 0 ? port_create(name, max_message_size, 0, direction, id) : INVALID_CONFIG;
    if (*code == NO_ERROR)
        port_of(*id, false)->refresh = (uint64_t)refresh_period;
}

void WRITE_SAMPLING_MESSAGE(SAMPLING_PORT_ID_TYPE id, const uint8_t *message, MESSAGE_SIZE_TYPE length,
                            RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, false);
    *code = !p || !length                          ? INVALID_PARAM
            : length > p->config->max_message_size ? INVALID_CONFIG
            : p->config->direction != SOURCE       ? INVALID_MODE
                                                   : NO_ERROR;
    if (*code != NO_ERROR)
        return;
    uint32_t number = ++p->count;
    if (!number)
        number = p->count = 1; /* 0 is the number of no message */
    slot_put(slot_at(p->box, p->config->max_message_size, number & 1), number, 0, apex_now_ns(), message, length);
    apex_fence();
    p->box->written = number;
    apex_notify(p->config->tunnel);
}

void READ_SAMPLING_MESSAGE(SAMPLING_PORT_ID_TYPE id, MESSAGE_ADDR_TYPE message, MESSAGE_SIZE_TYPE *length,
                           VALIDITY_TYPE *validity, RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, false);
    uint32_t size = 0, lost;
    uint64_t time = 0;

    *validity = INVALID;
    *code = !p ? INVALID_PARAM : p->config->direction != DESTINATION ? INVALID_MODE : NO_ERROR;
    if (*code != NO_ERROR)
        return;
    bool got = false;
    for (uint32_t attempt = 0; attempt < 3 && !got;
         attempt++) { /* the source may be writing the newer one; then the older one is complete */
        uint32_t number = p->box->written;
        apex_fence();
        for (uint32_t back = 0; back < 2 && !got && number - back; back++)
            got = slot_take(slot_at(p->box, p->config->max_message_size, (number - back) & 1), number - back, message,
                            p->config->max_message_size, &size, &lost, &time);
    }
    if (!got) {
        p->validity = INVALID;
        *code = NO_ACTION; /* no message yet, or no complete one */
        return;
    }
    uint64_t now = apex_now_ns(),
             age = time - now <= SKEW ? 0 : now - time; /* a time far ahead is a lie and becomes a huge age */
    *length = size;
    *validity = p->validity = age <= p->refresh ? VALID : INVALID;
}

void GET_SAMPLING_PORT_STATUS(SAMPLING_PORT_ID_TYPE id, SAMPLING_PORT_STATUS_TYPE *status, RETURN_CODE_TYPE *code)
{
    struct port *p = port_of(id, false);
    *code = p ? NO_ERROR : INVALID_PARAM;
    if (p)
        *status = (SAMPLING_PORT_STATUS_TYPE){ (SYSTEM_TIME_TYPE)p->refresh, p->config->max_message_size,
                                               p->config->direction, p->validity };
}

void GET_SAMPLING_PORT_ID(const char *name, SAMPLING_PORT_ID_TYPE *id, RETURN_CODE_TYPE *code)
{
    int32_t i = port_named(name, false);
    *code = i >= 0 && port_of(i + 1, false) ? NO_ERROR : INVALID_CONFIG;
    if (*code == NO_ERROR)
        *id = i + 1;
}
