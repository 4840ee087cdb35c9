/* SPDX-License-Identifier: MIT */
/*
 * web.c - a page of how the board's domains do, by lwIP's httpd (amalgam/httpd.h). What it says of other domains the
 * kernel tells by the status handle (amalgam/status.h); without `status: read` in the system file it says nothing of
 * them.
 */
#include <amalgam/calls.h>
#include <amalgam/httpd.h>
#include <amalgam/net.h>
#include <amalgam/status.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define US 1000u
#define MS 1000000u

static unsigned long served;
static int64_t status;

static struct text {
    char *to;
    size_t used;
} text;

/* What does not fit on the page is left out. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = AMALGAM_PAGE_MOST - text.used;
    int n = vsnprintf(text.to + text.used, room, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < room)
        text.used += (size_t)n;
}

static void say_domains(void)
{
    static const char *const kinds[] = { "", "VM", "task", "process", "native" };
    static const char *const states[] = { "empty", "stopped", "running", "stopping" };
    static const char *const ends[] = { "",        "power-off", "reset", "triple fault", "watchdog",
                                        "stopped", "fault",     "done",  "not started" };
    struct amalgam_domain_status d;
    say("<h2>Domains</h2><table><tr><th>name<th>kind<th>state<th>last end<th>starts<th>restarts<th>priority<th>threads"
        "<th>memory, KiB<th>run, ms<th>switches\n");
    for (unsigned n = 0; amalgam_domain_status(status, n, &d); n++)
        say("<tr><td>%.16s<td>%s<td>%s<td>%s<td>%u<td>%u<td>%u<td>%u<td>%llu<td>%llu<td>%llu\n", d.name,
            d.kind < 5 ? kinds[d.kind] : "", d.state < 4 ? states[d.state] : "", d.end < 9 ? ends[d.end] : "",
            (unsigned)d.starts, (unsigned)d.restarts, d.priority, (unsigned)d.threads,
            (unsigned long long)d.memory / 1024, (unsigned long long)d.run / MS, (unsigned long long)d.switches);
    say("</table>");
}

static const char *name_of(unsigned domain, struct amalgam_domain_status *d)
{
    return domain == 0xffff ? "all others" : amalgam_domain_status(status, domain, d) ? d->name : "the Linux above";
}

static void say_cores(void)
{
    struct amalgam_core_status c;
    say("<h2>Cores</h2><table><tr><th>core<th>idle, ms<th>frame, us<th>windows begun<th>latest, us late\n");
    for (unsigned n = 0; amalgam_core_status(status, n, &c); n++)
        say("<tr><td>%u<td>%llu<td>%llu<td>%llu<td>%llu.%03llu\n", n, (unsigned long long)c.idle / MS,
            (unsigned long long)c.frame / US, (unsigned long long)c.edges, (unsigned long long)c.late / US,
            (unsigned long long)c.late % US);
    say("</table><h2>Windows</h2><table><tr><th>core<th>domain<th>from, us<th>for, us\n");
    struct amalgam_window_status w;
    struct amalgam_domain_status d;
    for (unsigned n = 0; amalgam_window_status(status, n, &w); n++)
        say("<tr><td>%u<td>%.16s<td>%u<td>%u\n", (unsigned)w.core, name_of(w.domain, &d), (unsigned)w.start,
            (unsigned)w.length);
    say("</table>");
}

static void say_traffic(void)
{
    struct amalgam_channel_status c;
    struct amalgam_domain_status a, b;
    uint32_t sent, received;
    say("<h2>Channels</h2><table><tr><th>name<th>ends<th>KiB<th>granted<th>rings\n");
    for (unsigned n = 0; amalgam_channel_status(status, n, &c); n++)
        say("<tr><td>%.16s<td>%.16s, %.16s<td>%u<td>%s<td>%u, %u\n", c.name, name_of(c.a, &a), name_of(c.b, &b),
            (unsigned)c.size / 1024, c.granted ? "yes" : "no", (unsigned)c.rings[0], (unsigned)c.rings[1]);
    say("</table><h2>This server's interfaces</h2><table><tr><th>interface<th>frames sent<th>received\n");
    for (unsigned n = 0; !amalgam_net_frames(n, &sent, &received); n++)
        say("<tr><td>%u<td>%u<td>%u\n", n, (unsigned)sent, (unsigned)received);
    say("</table>");
}

static size_t page(const char *path, char *to)
{
    struct utsname u;
    struct amalgam_board_status board;
    unsigned long long up = amalgam_clock() / 1000000;
    if (strcmp(path, "/index.html"))
        return 0;
    uname(&u);
    text = (struct text){ to, 0 };
    say("<!DOCTYPE html>\n<html><head><meta http-equiv=\"refresh\" content=\"2\"><title>%s</title></head>\n<body>"
        "<h1>%s</h1><table>\n<tr><td>domain<td>%d\n<tr><td>kernel<td>%s on %s\n<tr><td>cores<td>%d\n"
        "<tr><td>board up for<td>%llu.%03llu s\n<tr><td>pages served<td>%lu\n</table>",
        u.sysname, u.sysname, (int)amalgam_info(AMALGAM_INFO_DOMAIN), u.release, u.machine,
        (int)amalgam_info(AMALGAM_INFO_CORES), up / 1000, up % 1000, ++served);
    if (amalgam_board_status(status, &board)) {
        say_domains();
        say_cores();
        say_traffic();
    }
    say("</body></html>\n");
    return text.used;
}

int main(void)
{
    status = amalgam_status_open();
    amalgam_httpd(page);
    puts("web: serves");
    fflush(stdout);
    for (;;)
        pause();
}
