/* SPDX-License-Identifier: MIT */
/* plan.c - reads NET of the environment (stack.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"

#define LONGEST 16 /* of a word, with its end: 255.255.255.255 */

/* Read the next word, which ends at a blank, a comma or one of `ends`. Returns false if there is none, or it is too
 * long. */
static bool word(const char **at, char to[LONGEST], char end)
{
    size_t n = 0;
    while (isblank((unsigned char)**at))
        ++*at;
    while (**at && !isblank((unsigned char)**at) && **at != ',' && **at != end) {
        if (n == LONGEST - 1)
            return false;
        to[n++] = *(*at)++;
    }
    to[n] = '\0';
    return n;
}

static bool number(const char *text, unsigned most, unsigned *n)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *n = (unsigned)value;
    return isdigit((unsigned char)*text) && !*end && value <= most;
}

/* Four numbers: ip4addr_aton() knows other ways to write an address, too. */
static bool address(const char **at, ip4_addr_t *a)
{
    char text[LONGEST];
    unsigned dots = 0;
    if (!word(at, text, '/') || !ip4addr_aton(text, a))
        return false;
    for (const char *c = text; *c; c++)
        dots += *c == '.';
    return dots == 3;
}

static bool fixed(const char **at, struct net_plan *p)
{
    char text[LONGEST];
    unsigned bits;
    if (!address(at, &p->address) || *(*at)++ != '/' || !word(at, text, '\0') || !number(text, 32, &bits))
        return false;
    p->mask.addr = bits ? lwip_htonl(UINT32_MAX << (32 - bits)) : 0;
    for (;;) {
        if (!word(at, text, '\0'))
            return true;
        if (!strcmp(text, "core")) {
            p->core = true;
            continue;
        }
        if (!address(at, !strcmp(text, "via") ? &p->gateway : &p->server) ||
            (strcmp(text, "via") && strcmp(text, "dns")))
            return false;
    }
}

static bool interface(const char **at, struct net_plan *p)
{
    char text[LONGEST];
    unsigned channel;
    *p = (struct net_plan){ 0 };
    if (!word(at, text, '\0'))
        return false;
    p->port = !strcmp(text, "port");
    if ((p->port && !word(at, text, '\0')) || !number(text, 15, &channel))
        return false;
    p->channel = channel;
    const char *second = *at;
    if (!word(at, text, '\0'))
        return false;
    p->dhcp = !strcmp(text, "dhcp");
    if (p->dhcp)
        return true;
    *at = second;
    return fixed(at, p);
}

static void skip_blanks(const char **at)
{
    while (isblank((unsigned char)**at))
        ++*at;
}

int net_plans(const char *text, struct net_plan plans[NET_INTERFACES])
{
    int n = 0;
    if (!text)
        return 0;
    for (const char *at = text;; at++) {
        if (n == NET_INTERFACES || !interface(&at, &plans[n]))
            return -1;
        n++;
        skip_blanks(&at);
        if (*at != ',')
            return *at ? -1 : n;
    }
}
