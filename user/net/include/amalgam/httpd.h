/* SPDX-License-Identifier: MIT */
/* amalgam/httpd.h - lwIP's server of HTTP, in the stack of a program, with pages that the program writes. */
#ifndef AMALGAM_HTTPD_H
#define AMALGAM_HTTPD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AMALGAM_PAGE_MOST 8192 /* bytes of a page */

/*
 * Write the page with that path ("/index.html" is the first one) to `to`, which has room for AMALGAM_PAGE_MOST bytes.
 * Returns how many it has; 0: there is none. Called with the stack's lock: it must not call anything of sockets, and
 * not wait.
 */
typedef size_t amalgam_page(const char *path, char *to);

/* Serve port 80. The pages' kinds go by the ends of their names. */
void amalgam_httpd(amalgam_page *page);

#ifdef __cplusplus
}
#endif

#endif
