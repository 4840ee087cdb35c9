/* SPDX-License-Identifier: MIT */
/* httpd.c - amalgam/httpd.h: lwIP's httpd, whose files are what a function of the program writes. */
#include <amalgam/httpd.h>
#include <string.h>

#include "lwip/apps/fs.h"
#include "lwip/apps/httpd.h"
#include "lwip/mem.h"
#include "lwip/tcpip.h"
#include "stack.h"

static amalgam_page *page_of;

/* Returns 1: there is such a page; it is the stack's memory until fs_close_custom(). */
int fs_open_custom(struct fs_file *file, const char *name)
{
    char *text = mem_malloc(AMALGAM_PAGE_MOST);
    size_t n = text ? page_of(name, text) : 0;
    if (!n || n > AMALGAM_PAGE_MOST) {
        mem_free(text);
        return 0;
    }
    text = mem_trim(text, (mem_size_t)n);
    memset(file, 0, sizeof *file);
    file->data = file->pextension = text;
    file->len = file->index = (int)n;
    return 1;
}

void fs_close_custom(struct fs_file *file) { mem_free(file->pextension); }

/* All has been read when it was opened. */
int fs_read_custom(struct fs_file *file, char *to, int n)
{
    (void)file, (void)to, (void)n;
    return FS_READ_EOF;
}

void amalgam_httpd(amalgam_page *page)
{
    page_of = page;
    net_start();
    LOCK_TCPIP_CORE();
    httpd_init();
    UNLOCK_TCPIP_CORE();
}
