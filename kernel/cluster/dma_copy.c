/* SPDX-License-Identifier: MIT */
/* dma_copy.c - the copies of the DMA engine; see dma.h. */
#include <hal/memory.h>
#include <string.h>

#include "comm.h"
#include "dma.h"

#define STEP 16u /* words that are copied between two looks at the end */

typedef unsigned long __attribute__((may_alias)) word;

#define COPY4(i)                                                                                                       \
    do {                                                                                                               \
        word a = f[i], b = f[(i) + 1], c = f[(i) + 2], d = f[(i) + 3];                                                 \
        t[i] = a, t[(i) + 1] = b, t[(i) + 2] = c, t[(i) + 3] = d;                                                      \
    } while (0)

/* Copy `n` bytes: those that lie alike to words by STEP words. */
static void copy(void *to, const void *from, size_t n)
{
    word *t = to;
    const word *f = from;
    size_t whole = ((uintptr_t)to | (uintptr_t)from) % sizeof(word) ? 0 : n - n % (STEP * sizeof(word));
    for (const word *end = f + whole / sizeof(word); f != end; f += STEP, t += STEP) {
        COPY4(0);
        COPY4(4);
        COPY4(8);
        COPY4(12);
    }
    memcpy((char *)to + whole, (const char *)from + whole, n - whole);
}

/* A page of data may lie in two frames of the program. */
static void copy_page(const struct dma_job *j, size_t at, char *box, size_t size)
{
    for (size_t n; size; size -= n, at += n, box += n) {
        char *own = j->memory + ((size_t)j->frame[at / PAGE_SIZE] << PAGE_SHIFT) + at % PAGE_SIZE;
        n = MIN(size, PAGE_SIZE - at % PAGE_SIZE);
        if (j->to_outbox)
            copy(box, own, n);
        else
            copy(own, box, n);
    }
}

void dma_copy(const struct dma_job *j)
{
    for (unsigned i = 0; i < j->n; i++) {
        char *box = j->boxes + j->page[i].buffer * (size_t)COMM_PAGE;
        size_t size = j->page[i].size;
        copy_page(j, j->at + i * (size_t)COMM_PAGE, box, size);
        if (j->to_outbox && size < COMM_PAGE)
            memset(box + size, 0, COMM_PAGE - size);
    }
}
