/* SPDX-License-Identifier: MIT */
/*
 * program_parse(): first byte even, patches to the headers of a valid file; odd, the file itself. What is accepted is
 * loaded as process.c does it: no segment may leave the file, the memory, or another one's pages.
 */
#include <hal/space.h>
#include <process/program.h>

#include "patch.h"
#include "program_image.h"

#define MEMORY 0x10000u

static void load(const struct program *p, const u8 *file, u64 size)
{
    static u8 memory[MEMORY];
    u64 end = 0;
    if (p->size > MEMORY || p->n > PROGRAM_SEGMENTS)
        abort();
    for (unsigned i = 0; i < p->n; i++) {
        const struct program_segment *s = &p->segment[i];
        if (s->at < end || s->at % PAGE_SIZE || s->size % PAGE_SIZE || s->at + s->size > p->size ||
            s->skip + s->file_size > s->size || s->file + s->file_size > size ||
            s->rights == (SPACE_WRITE | SPACE_EXEC))
            abort();
        memcpy(memory + s->at + s->skip, file + s->file, s->file_size);
        end = s->at + s->size;
    }
    if (p->entry >= p->size || p->headers + p->n_headers * (unsigned)PH_SIZE > p->size)
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static u8 image[PROGRAM_FILE];
    struct program p;
    const char *why;
    if (!size)
        return 0;
    u64 n = *data & 1 ? size - 1 : sizeof(image);
    program_image(image);
    if (*data & 1)
        memcpy(image, data + 1, n);
    else
        patch(image, PROGRAM_AT(PROGRAM_HEADERS), data + 1, size - 1);
    u8 *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    if (!program_parse(exact, n, MEMORY, &p, &why))
        load(&p, exact, n);
    free(exact);
    return 0;
}
