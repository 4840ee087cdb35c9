/* SPDX-License-Identifier: MIT */
/*
 * web.c - a page of what a process knows of itself and its board, by lwIP's httpd (amalgam/httpd.h). There is no call
 * that tells a process of other domains.
 */
#include <amalgam/calls.h>
#include <amalgam/httpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static unsigned long served;

static size_t page(const char *path, char *to)
{
    struct utsname u;
    unsigned long long up = amalgam_clock() / 1000000;
    if (strcmp(path, "/index.html"))
        return 0;
    uname(&u);
    int n = snprintf(
        to, AMALGAM_PAGE_MOST,
        "<!DOCTYPE html>\n<html><head><meta http-equiv=\"refresh\" content=\"2\"><title>%s</title></head>\n<body>"
        "<h1>%s</h1><table>\n<tr><td>domain<td>%d\n<tr><td>kernel<td>%s on %s\n<tr><td>cores<td>%d\n"
        "<tr><td>board up for<td>%llu.%03llu s\n<tr><td>pages served<td>%lu\n</table></body></html>\n",
        u.sysname, u.sysname, (int)amalgam_info(AMALGAM_INFO_DOMAIN), u.release, u.machine,
        (int)amalgam_info(AMALGAM_INFO_CORES), up / 1000, up % 1000, ++served);
    return (size_t)n;
}

int main(void)
{
    amalgam_httpd(page);
    puts("web: serves");
    fflush(stdout);
    for (;;)
        pause();
}
