/* SPDX-License-Identifier: MIT */
/*
 * spawn_start(): a damaged program at run time, in memory that its owner changes while it is read. First byte: which
 * page is changed after how many copies; second: an odd one makes the file shorter; the rest patches the headers of a
 * valid file. The file's pages are allocations of their own, so that ASan sees a copy past one. What is accepted is
 * loaded as process.c does it: nothing may leave the memory.
 */
#include <core/domain.h>
#include <generated/spawn_calls.h>
#include <handle/memory.h>
#include <spawn/spawn.h>
#include <stdlib.h>

#include "patch.h"
#include "program_image.h"

#define MEMORY 0x10000u
#define STACK  0x4000u
#define PAGES  ((PROGRAM_FILE + PAGE_SIZE - 1) / PAGE_SIZE)

static u8 *page[PAGES], memory[MEMORY];
static unsigned copies, change_at;
static struct handle_object shared = { .kind = HANDLE_MEMORY, .size = PAGES * PAGE_SIZE };
static struct sys_domain conf;
static struct domain domain = { .conf = &conf };
static struct process process = { .domain = &domain, .size = MEMORY, .stack_size = STACK };
static struct process_thread thread = { .process = &process };
static struct slot slot = { .process = &process };

bool host_irq_on = true;

/* What calls.c stands on. */

struct slot *slot_claim(unsigned owner) { return &slot; }
void slot_free(struct slot *s) {}
u32 slot_runs(struct slot *s) { return 16; }
int slot_end(unsigned owner, u32 child, struct slot **found) { return -ENOENT; }
int slot_kill(unsigned owner, u32 child, u32 why) { return -ENOENT; }
struct handle handle_at(const struct process *p, unsigned index) { return (struct handle){ 0 }; }

int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    memcpy(to, (const void *)(uintptr_t)from, n);
    return 0;
}

int handle_take(struct process *p, unsigned index, enum handle_kind kind, u32 rights, struct handle_object **taken)
{
    shared.users++;
    *taken = &shared;
    return 0;
}

paddr_t handle_memory_at(const struct handle_object *o, u32 offset, u32 size)
{
    if (!size || offset >= o->size || size > o->size - offset || offset / PAGE_SIZE != (offset + size - 1) / PAGE_SIZE)
        return (paddr_t)-1;
    if (copies++ == change_at)
        memset(page[0], 0xff, PAGE_SIZE);
    return (paddr_t)(uintptr_t)(page[offset / PAGE_SIZE] + offset % PAGE_SIZE);
}

/* As copy_program() of process.c. */
int domain_start(struct domain *d)
{
    const struct process_image *image = &slot.image;
    const struct program *p = &image->program;
    u64 end = 0;
    int err = 0;
    if (p->size + STACK > MEMORY || p->n > PROGRAM_SEGMENTS)
        abort();
    for (unsigned i = 0; i < p->n && !err; i++) {
        const struct program_segment *s = &p->segment[i];
        if (s->at < end || s->at + s->size > p->size || s->skip + s->file_size > s->size)
            abort();
        err = image->copy(memory + s->at + s->skip, s->file, s->file_size, image->arg);
        end = s->at + s->size;
    }
    return err;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static u8 image[PAGES * PAGE_SIZE];
    static const char text[] = "program";
    if (size < 2)
        return 0;
    slot.text = malloc(PROCESS_STRINGS);
    slot.head = malloc(SPAWN_HEAD);
    program_image(image);
    patch(image, PROGRAM_AT(PROGRAM_HEADERS), data + 2, size - 2);
    for (unsigned i = 0; i < PAGES; i++) {
        page[i] = malloc(PAGE_SIZE);
        memcpy(page[i], image + i * PAGE_SIZE, PAGE_SIZE);
    }
    copies = 0;
    change_at = data[0] % 8;
    struct spawn_request r = {
        .size = data[1] & 1 ? data[1] * 37u : PROGRAM_FILE, .argc = 1, .length = sizeof(text), .texts = (uintptr_t)text
    };
    s64 result = spawn_call_spawn_start(&thread, (uintptr_t)&r);
    if (shared.users || slot.image.by || (result != 16 && result != -ENOEXEC && result != -ENOMEM))
        abort();
    for (unsigned i = 0; i < PAGES; i++)
        free(page[i]);
    free(slot.text);
    free(slot.head);
    return 0;
}
