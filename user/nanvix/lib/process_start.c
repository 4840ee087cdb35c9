/* SPDX-License-Identifier: MIT */
/* process_start.c - nanvix_process_start(): uploads a program to a server, which starts it. */
#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/process.h>

#include "image.h"
#include "nanvix.h"
#include "process.h"

struct texts {
    char bytes[PROCESSES_TEXTS];
    size_t size;
    uint32_t n[2]; /* arguments, variables */
    bool piped;
};

static int gather(struct texts *t, const char *const *list, unsigned which)
{
    for (; list && *list; list++, t->n[which]++) {
        size_t n = kstrlen(*list) + 1;
        if (n > sizeof(t->bytes) - t->size)
            return -E2BIG;
        kmemcpy(t->bytes + t->size, *list, n);
        t->size += n;
    }
    return 0;
}

/* Send what follows the `at` bytes that were sent. Returns false: the server takes nothing. */
static bool put(struct process_server *s, uint32_t at, const char *bytes, size_t n)
{
    for (size_t done = 0, piece; done < n; done += piece) {
        struct processes_message m = nanvix_process_request(s, PROCESSES_PUT, at + (uint32_t)done);
        piece = n - done < PROCESSES_PART ? n - done : PROCESSES_PART;
        m.n = (uint8_t)piece;
        kmemcpy(m.data, bytes + done, piece);
        if (!ask_send_part(&s->ask, &m, sizeof(m)))
            return false;
    }
    return true;
}

/* Returns 0 or an error. */
static int upload(struct process_server *s, const char *file, size_t size, const struct texts *t)
{
    struct processes_message m = nanvix_process_request(s, PROCESSES_UPLOAD, (uint32_t)size);
    m.value = (uint32_t)t->size;
    kmemcpy(m.data, &s->handle, sizeof(s->handle));
    int result = nanvix_process_ask(s, &m);
    if (result == PROCESSES_DONE)
        return put(s, 0, file, size) && put(s, (uint32_t)size, t->bytes, t->size) ? 0 : -EAGAIN;
    if (result == PROCESSES_FORBIDDEN)
        return -EPERM;
    return result == PROCESSES_WRONG ? -ENOMEM : result < 0 ? result : -EAGAIN;
}

/* The kernel's errors of a start, as the server says. */
static int refusal(uint32_t error)
{
    switch (error) {
    case 0: return -EIO;
    case AMALGAM_ENOEXEC: return -ENOEXEC;
    case AMALGAM_ENOMEM: return -ENOMEM;
    case AMALGAM_E2BIG: return -E2BIG;
    default: return (int)nanvix_result(-(int64_t)error);
    }
}

static int answer_to_start(const struct process_server *s, int result, const struct processes_message *m)
{
    if (result == PROCESSES_DONE)
        return process_is_number(m->number, 0) ? s->ask.node << PROCESS_SHIFT | (int)m->number : -EIO;
    if (result == PROCESSES_REFUSED)
        return refusal(m->value);
    if (result == PROCESSES_FORBIDDEN) /* its handle has become void behind the upload */
        return -EPERM;
    return result < 0 ? result : -EAGAIN;
}

/* What is lost on the way makes the server say PROCESSES_AGAIN. */
static int start_at(struct process_server *s, const char *file, size_t size, int threads, const struct texts *t)
{
    int result = PROCESSES_AGAIN, error = 0;
    struct processes_message m = { 0 };
    for (unsigned i = 0; result == PROCESSES_AGAIN && i < PROCESS_TRIES; i++) {
        error = upload(s, file, size, t);
        if (error == -EIO || error == -ETIMEDOUT || error == -EPERM)
            break;
        if (error) {
            nanvix_relax(NANVIX_RELAX_ASLEEP);
            continue;
        }
        m = nanvix_process_request(s, PROCESSES_START, t->n[0]);
        m.value = t->n[1];
        m.n = (uint8_t)(threads < 1 ? 1 : threads);
        m.piped = t->piped;
        kmemcpy(m.data, &s->handle, sizeof(s->handle));
        result = nanvix_process_ask_deed(s, &m);
    }
    if (error)
        return error == -ETIMEDOUT ? -EAGAIN : error;
    return answer_to_start(s, result, &m);
}

static int start(int node, const void *file, size_t size, int threads, const char *const arguments[],
                 const char *const variables[], bool piped)
{
    static struct texts t; /* under the lock */
    static const char *const pipe[] = { PROCESSES_PIPED, NULL };
    long needed = image_size(file, size);
    if (needed < 0)
        return (int)needed;
    nanvix_lock_take(&nanvix_process_lock);
    t.size = t.n[0] = t.n[1] = 0;
    t.piped = piped;
    int error = nanvix_process_begin();
    struct process_server *s = error ? NULL : nanvix_process_server(node);
    if (!error)
        error = !s || threads > UINT8_MAX ? -EINVAL : gather(&t, arguments, 0);
    if (!error)
        error = gather(&t, variables, 1);
    if (!error && piped)
        error = gather(&t, pipe, 1);
    int result = error ? error : start_at(s, file, (size_t)needed, threads, &t);
    nanvix_lock_drop(&nanvix_process_lock);
    return result;
}

int nanvix_process_start(int node, const void *file, size_t size, int threads, const char *const arguments[],
                         const char *const variables[])
{
    return start(node, file, size, threads, arguments, variables, false);
}

int nanvix_process_start_piped(int node, const void *file, size_t size, int threads, const char *const arguments[],
                               const char *const variables[])
{
    return start(node, file, size, threads, arguments, variables, true);
}
