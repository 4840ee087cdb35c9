/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#include "options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* Returns a number of 1 to `most`, or 0. */
static unsigned number(const char *text, unsigned most)
{
    char *end;
    unsigned long long value = strspn(text, "0123456789") ? strtoull(text, &end, 10) : 0;
    return value && value <= most && !*end ? (unsigned)value : 0;
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
        for (unsigned k = 0; k < sizeof(options) / sizeof(*options); k++) {
            size_t n = strlen(options[k].name);
            if (strncmp(argv[i], options[k].name, n))
                continue;
            value = number(argv[i] + n, options[k].most);
            *options[k].value = value;
        }
        if (!value)
            return argv[i];
    }
    return NULL;
}
