/* SPDX-License-Identifier: MIT */
/*
 * memory.c - `allocate` and omp_alloc(): all allocators give memory of the one heap, which all threads share. Of an
 * allocator's traits the alignment and what happens without memory are kept, the others have no meaning here. Before
 * the address that the program gets is a struct block.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "openmp.h"

#define PREDEFINED 8u /* the handles 1 to 8 of omp.h */
#define LEAST      8u /* alignment of all blocks */

struct allocator {
    size_t align;
    bool aborts;
};

struct block {
    void *start; /* what malloc() gave */
    size_t size; /* bytes that the program has asked for */
};

void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator);
void GOMP_free(void *at, uintptr_t allocator);

static __thread uintptr_t default_allocator;

static const struct allocator *record_of(uintptr_t handle)
{
    static const struct allocator predefined = { LEAST, false };
    handle = handle ? handle : default_allocator;
    return handle <= PREDEFINED ? &predefined : (const struct allocator *)handle;
}

static struct block *block_of(void *at) { return (struct block *)at - 1; }

void *omp_aligned_alloc(size_t align, size_t size, omp_allocator_handle_t handle)
{
    const struct allocator *a = record_of(handle);
    if (!size || align & (align - 1))
        return NULL;
    align = align > a->align ? align : a->align;
    size_t more = align + sizeof(struct block);
    char *got = size <= SIZE_MAX - more ? malloc(size + more) : NULL;
    if (!got && a->aborts)
        omp_fail("an allocator whose fallback is abort has no memory");
    if (!got)
        return NULL;
    void *at = (void *)(((uintptr_t)got + more) & ~(uintptr_t)(align - 1));
    *block_of(at) = (struct block){ got, size };
    return at;
}

void *omp_alloc(size_t size, omp_allocator_handle_t handle) { return omp_aligned_alloc(LEAST, size, handle); }

void omp_free(void *at, omp_allocator_handle_t handle)
{
    (void)handle;
    if (at)
        free(block_of(at)->start);
}

void *omp_aligned_calloc(size_t align, size_t n, size_t size, omp_allocator_handle_t handle)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    void *at = omp_aligned_alloc(align, bytes, handle);
    return at ? memset(at, 0, bytes) : NULL;
}

void *omp_calloc(size_t n, size_t size, omp_allocator_handle_t handle)
{
    return omp_aligned_calloc(LEAST, n, size, handle);
}

void *omp_realloc(void *at, size_t size, omp_allocator_handle_t handle, omp_allocator_handle_t old)
{
    if (!at)
        return omp_alloc(size, handle);
    void *made = size ? omp_alloc(size, handle) : NULL;
    if (made)
        memcpy(made, at, block_of(at)->size < size ? block_of(at)->size : size);
    if (made || !size)
        omp_free(at, old);
    return made;
}

void *GOMP_alloc(size_t align, size_t size, uintptr_t handle)
{
    return omp_aligned_alloc(align, size ? size : 1, (omp_allocator_handle_t)handle);
}

void GOMP_free(void *at, uintptr_t handle) { omp_free(at, (omp_allocator_handle_t)handle); }

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int n, const omp_alloctrait_t traits[])
{
    struct allocator *a = malloc(sizeof(*a));
    (void)space;
    if (!a)
        return omp_null_allocator;
    *a = (struct allocator){ LEAST, false };
    for (int i = 0; i < n; i++) {
        if (traits[i].key == omp_atk_alignment && traits[i].value > a->align &&
            !(traits[i].value & (traits[i].value - 1)))
            a->align = traits[i].value;
        if (traits[i].key == omp_atk_fallback)
            a->aborts = traits[i].value == omp_atv_abort_fb;
    }
    return (omp_allocator_handle_t)(uintptr_t)a;
}

void omp_destroy_allocator(omp_allocator_handle_t handle)
{
    if (handle > PREDEFINED)
        free((void *)(uintptr_t)handle);
}

void omp_set_default_allocator(omp_allocator_handle_t handle) { default_allocator = handle; }

omp_allocator_handle_t omp_get_default_allocator(void)
{
    return default_allocator ? (omp_allocator_handle_t)default_allocator : omp_default_mem_alloc;
}
