/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of a process that starts others: kernel/api/spawn.yaml describes them. */
#include <core/domain.h>
#include <errors.h>
#include <generated/spawn_calls.h>
#include <hal/cpu.h>
#include <handle/memory.h>
#include <process/elf.h>
#include <process/memory.h>
#include <string.h>

#include "spawn.h"

enum { HOW_EXITED, HOW_KILLED, HOW_FAULT, HOW_OTHER };

/* Where a program's file is: in memory of which the caller has a handle. */
struct source {
    struct process *by;
    u32 handle, offset;
};

/* process_image.copy. Its owner may change the file meanwhile, or withdraw it: what was checked is a copy of its
 * headers, and what lies behind them is the started program's own affair. Pieces lie in one page each. */
static int copy(void *to, u64 offset, u64 n, void *arg)
{
    const struct source *s = arg;
    int err = 0;
    for (u64 at = s->offset + offset, end = at + n, piece; at < end && !err; at += piece) {
        struct handle_object *o;
        piece = MIN(end - at, PAGE_SIZE - at % PAGE_SIZE);
        unsigned long flags = irq_save();
        err = handle_take(s->by, s->handle, HANDLE_MEMORY, HANDLE_READ, &o);
        if (!err) {
            paddr_t from = at < o->size ? handle_memory_at(o, (u32)at, (u32)piece) : (paddr_t)-1;
            if (from == (paddr_t)-1)
                err = -ENOEXEC;
            else
                memcpy(to, phys_to_virt(from), piece);
            handle_put(o);
        }
        irq_restore(flags);
        to = (char *)to + piece;
    }
    return err;
}

/* Read the program's headers. Returns 0 or an error. */
static int read_headers(struct slot *s, struct source *from, u32 size)
{
    struct elf_header h;
    const char *why;
    u32 n = MIN(size, (u32)SPAWN_HEAD);
    int err = n < sizeof(h) ? -ENOEXEC : copy(s->head, size - 1, 1, from); /* so all of it is there */
    if (!err)
        err = copy(s->head, 0, n, from);
    if (err)
        return err;
    memcpy(&h, s->head, sizeof(h));
    if (h.phoff > n || h.phnum * sizeof(struct elf_segment) > n - h.phoff)
        return -ENOEXEC;
    err = program_parse(s->head, size, s->process->size, &s->image.program, &why);
    if (!err && s->image.program.size + s->process->stack_size > s->process->size)
        err = -ENOMEM;
    return err;
}

static int read_texts(struct slot *s, struct process_thread *t, const struct spawn_request *r)
{
    if (r->argc > PROCESS_MAX_STRINGS || r->envc > PROCESS_MAX_STRINGS)
        return -EINVAL;
    if (r->length > PROCESS_STRINGS)
        return -E2BIG;
    if (process_read(t, s->text, r->texts, r->length))
        return -EFAULT;
    s->image.size = r->length;
    s->image.argc = r->argc;
    s->image.envc = r->envc;
    return sys_strings_ok(s->text, r->length, r->argc + r->envc) ? 0 : -EINVAL;
}

/* Check and copy the handles that the program gets. */
static int read_handles(struct slot *s, struct process *by, const struct spawn_request *r)
{
    s->n_given = 0;
    if (r->n_handles > SPAWN_HANDLES)
        return -EINVAL;
    for (unsigned i = 0; i < r->n_handles; i++) {
        struct handle h = r->handle[i] < HANDLES ? handle_at(by, r->handle[i]) : (struct handle){ 0 };
        u32 rights = r->rights[i];
        if (!h.object)
            return -EBADF;
        if (READ_ONCE(h.object->generation) != h.generation)
            return -ESTALE;
        if (h.object->kind == HANDLE_PIPE ? rights != h.rights
                                          : !(h.rights & HANDLE_SEND) || rights & ~(h.rights & ~HANDLE_OWN))
            return -EPERM;
        h.rights = rights;
        s->given[s->n_given++] = h;
    }
    return 0;
}

static s64 start_in(struct slot *s, struct process_thread *t, const struct spawn_request *r)
{
    struct source from = { t->process, r->image, r->offset };
    int err = read_headers(s, &from, r->size);
    if (!err)
        err = read_texts(s, t, r);
    if (!err)
        err = read_handles(s, t->process, r);
    if (err)
        return err;
    s->image.arg = &from;
    s->image.copy = copy;
    s->image.by = t->thread;
    s->image.status = 0;
    s->killed = false;
    err = domain_start(s->process->domain);
    s->image.by = NULL;
    return err ? err : (s64)slot_runs(s);
}

s64 spawn_call_spawn_start(struct process_thread *t, u64 what)
{
    struct spawn_request r;
    if (process_read(t, &r, what, sizeof(r)))
        return -EFAULT;
    struct slot *s = slot_claim(t->process->domain->id);
    if (!s)
        return -EAGAIN;
    s64 result = start_in(s, t, &r);
    if (result < 0)
        slot_free(s);
    return result;
}

s64 spawn_call_spawn_wait(struct process_thread *t, u32 child)
{
    struct slot *s;
    int err = slot_end(t->process->domain->id, child, &s);
    if (err)
        return err;
    const struct domain *d = s->process->domain;
    u32 status = READ_ONCE(s->image.status), how = d->end == END_FAULT  ? HOW_FAULT
                                                   : d->end == END_DONE ? HOW_EXITED
                                                   : s->killed          ? HOW_KILLED
                                                                        : HOW_OTHER;
    u32 answer = how << 8 | (how == HOW_EXITED ? status & 0xff : how == HOW_KILLED ? s->why : 0);
    slot_free(s);
    return answer;
}

s64 spawn_call_spawn_kill(struct process_thread *t, u32 child, u32 why)
{
    return slot_kill(t->process->domain->id, child, why);
}
