/* SPDX-License-Identifier: MIT */
/* uchar.h - C17 7.28: the C locale's characters are bytes, each of which is one char16_t and one char32_t. */
#ifndef AMALGAM_UCHAR_H
#define AMALGAM_UCHAR_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#else
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#endif

size_t mbrtoc16(char16_t *__restrict to, const char *__restrict from, size_t n, mbstate_t *__restrict state);
size_t mbrtoc32(char32_t *__restrict to, const char *__restrict from, size_t n, mbstate_t *__restrict state);
size_t c16rtomb(char *__restrict to, char16_t from, mbstate_t *__restrict state);
size_t c32rtomb(char *__restrict to, char32_t from, mbstate_t *__restrict state);

#ifdef __cplusplus
}
#endif
#endif
