/* SPDX-License-Identifier: MIT */
/*
 * cxx.c - the run time that g++ needs without exceptions, by its names in object files (Itanium C++ ABI): operators new
 * and delete, guards of local statics (3.3.3), calls of pure virtual functions (3.2.6), and the functions that its
 * headers call to hash and to throw.
 *
 * The program is aborted where an exception would be thrown; new(std::nothrow) returns NULL.
 */
#include <amalgam/calls.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define THROWS(name)                                                                                                   \
    __attribute__((noreturn)) void name(void) { abort(); }

__attribute__((visibility(
    "hidden"))) void *__dso_handle; /* names the object whose statics are destroyed; the program is the only one */
const char _ZSt7nothrow = 0;

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void *_Znwm(size_t n) { return need(malloc(n ? n : 1)); }
void *_Znam(size_t n) { return _Znwm(n); }
void *_ZnwmSt11align_val_t(size_t n, size_t align) { return need(memalign(align, n ? n : 1)); }
void *_ZnamSt11align_val_t(size_t n, size_t align) { return _ZnwmSt11align_val_t(n, align); }

void *_ZnwmRKSt9nothrow_t(size_t n, const void *tag)
{
    (void)tag;
    return malloc(n ? n : 1);
}

void *_ZnamRKSt9nothrow_t(size_t n, const void *tag) { return _ZnwmRKSt9nothrow_t(n, tag); }

void _ZdlPv(void *memory) { free(memory); }
void _ZdaPv(void *memory) { free(memory); }

void _ZdlPvm(void *memory, size_t n)
{
    (void)n;
    free(memory);
}

void _ZdaPvm(void *memory, size_t n) { _ZdlPvm(memory, n); }
void _ZdlPvSt11align_val_t(void *memory, size_t align) { _ZdlPvm(memory, align); }
void _ZdaPvSt11align_val_t(void *memory, size_t align) { _ZdlPvm(memory, align); }

void _ZdlPvmSt11align_val_t(void *memory, size_t n, size_t align)
{
    (void)align;
    _ZdlPvm(memory, n);
}

void _ZdaPvmSt11align_val_t(void *memory, size_t n, size_t align) { _ZdlPvmSt11align_val_t(memory, n, align); }

/* The second word of a guard. The compiler only checks its first byte, which is 1 when the variable is initialized. */
enum { NEW, RUNNING, RUNNING_AND_AWAITED, DONE };

int __cxa_guard_acquire(uint32_t guard[2])
{
    uint32_t *state = &guard[1];
    for (;;) {
        uint32_t seen = NEW;
        if (__atomic_compare_exchange_n(state, &seen, RUNNING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return 1;
        if (seen == DONE)
            return 0;
        if (seen == RUNNING_AND_AWAITED ||
            __atomic_compare_exchange_n(state, &seen, RUNNING_AND_AWAITED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            amalgam_wait(state, RUNNING_AND_AWAITED, AMALGAM_NEVER);
    }
}

void __cxa_guard_release(uint32_t guard[2])
{
    __atomic_store_n((uint8_t *)guard, 1, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&guard[1], DONE, __ATOMIC_RELEASE) == RUNNING_AND_AWAITED)
        amalgam_wake(&guard[1], UINT32_MAX);
}

#define FNV_PRIME (sizeof(size_t) == 8 ? (size_t)0x100000001b3 : (size_t)0x1000193)

/* std::_Hash_bytes(), which std::hash of strings calls: FNV-1a, with libstdc++'s arguments. */
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t n, size_t seed)
{
    size_t hash = seed;
    for (const unsigned char *at = bytes; n--; at++)
        hash = (hash ^ *at) * FNV_PRIME;
    return hash;
}

THROWS(__cxa_pure_virtual)
THROWS(__cxa_deleted_virtual)
THROWS(_ZSt9terminatev)
THROWS(_ZSt17__throw_bad_allocv)
THROWS(_ZSt28__throw_bad_array_new_lengthv)
THROWS(_ZSt25__throw_bad_function_callv)
THROWS(_ZSt16__throw_bad_castv)
THROWS(_ZSt19__throw_logic_errorPKc)
THROWS(_ZSt20__throw_length_errorPKc)
THROWS(_ZSt20__throw_out_of_rangePKc)
THROWS(_ZSt24__throw_out_of_range_fmtPKcz)
THROWS(_ZSt24__throw_invalid_argumentPKc)
THROWS(_ZSt20__throw_domain_errorPKc)
THROWS(_ZSt21__throw_runtime_errorPKc)
