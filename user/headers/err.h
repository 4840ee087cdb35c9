/* SPDX-License-Identifier: MIT */
/* err.h - messages with the program's name, as BSD has them: "name: text: error" and a newline, to stderr, as one call.
 * The ones with x say nothing about errno; err() and errx() exit with a status. */
#ifndef AMALGAM_ERR_H
#define AMALGAM_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

#define __ERR_FORMAT(text, first) __attribute__((__format__(__printf__, text, first)))
void warn(const char *format, ...) __ERR_FORMAT(1, 2);
void warnx(const char *format, ...) __ERR_FORMAT(1, 2);
void vwarn(const char *format, __builtin_va_list arguments) __ERR_FORMAT(1, 0);
void vwarnx(const char *format, __builtin_va_list arguments) __ERR_FORMAT(1, 0);
void err(int status, const char *format, ...) __ERR_FORMAT(2, 3) __attribute__((__noreturn__));
void errx(int status, const char *format, ...) __ERR_FORMAT(2, 3) __attribute__((__noreturn__));
void verr(int status, const char *format, __builtin_va_list arguments) __ERR_FORMAT(2, 0) __attribute__((__noreturn__));
void verrx(int status, const char *format, __builtin_va_list arguments) __ERR_FORMAT(2, 0)
    __attribute__((__noreturn__));
#undef __ERR_FORMAT

#ifdef __cplusplus
}
#endif
#endif
