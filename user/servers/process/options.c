/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#include "options.h"

#include <stdint.h>

#include "../arguments.h"
#include "table.h"

#define FROM "from="

/* Returns bits of the numbers of a list "0,2"; 0: it is no such list. */
static uint32_t clusters_of(const char *text)
{
    uint32_t bits = 0;
    for (;; text++) {
        char *end;
        unsigned long n = strspn(text, "0123456789") ? strtoul(text, &end, 10) : PROCESSES_CLUSTERS;
        if (n >= PROCESSES_CLUSTERS || (*end && *end != ','))
            return 0;
        bits |= 1u << n;
        text = end;
        if (!*text)
            return bits;
    }
}

const char *options_read(int argc, char **argv, struct options *o)
{
    const struct {
        const char *name;
        unsigned *value, most;
    } options[] = { { "threads=", &o->threads, UINT8_MAX },
                    { "share=", &o->share, PROCESSES_MOST },
                    { "largest=", &o->largest, OPTIONS_LARGEST },
                    { "dies=", &o->dies, UINT32_MAX } };
    for (int i = 1; i < argc; i++) {
        unsigned value = 0;
        if (!strncmp(argv[i], FROM, strlen(FROM)))
            value = o->from = clusters_of(argv[i] + strlen(FROM));
        for (unsigned k = 0; k < sizeof(options) / sizeof(*options) && !value; k++)
            if ((value = arguments_number(argv[i], options[k].name, options[k].most)))
                *options[k].value = value;
        if (!value)
            return argv[i];
    }
    return NULL;
}
