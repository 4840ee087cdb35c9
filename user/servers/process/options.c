/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#include "options.h"

#include <stdint.h>

#include "../arguments.h"
#include "table.h"

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
        for (unsigned k = 0; k < sizeof(options) / sizeof(*options) && !value; k++)
            if ((value = arguments_number(argv[i], options[k].name, options[k].most)))
                *options[k].value = value;
        if (!value)
            return argv[i];
    }
    return NULL;
}
