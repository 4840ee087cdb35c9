/* SPDX-License-Identifier: MIT */
/* system_commands.c - `create` and `destroy` of the control console. */
#include <core/log.h>
#include <core/monitor.h>
#include <core/system.h>
#include <errors.h>
#include <hex.h>

/* Parse a decimal number, or a hexadecimal one with 0x, that ends at a blank or the end; skip the blanks after it. */
static bool number(const char **text, u64 *value)
{
    const char *p = *text;
    unsigned base = 10;
    if (p[0] == '0' && (p[1] | 0x20) == 'x') {
        base = 16;
        p += 2;
    }
    u64 v = 0;
    const char *first = p;
    for (unsigned d; (d = hex_digit(*p)) < base; p++) {
        if (v > (~0ull - d) / base)
            return false;
        v = v * base + d;
    }
    if (p == first || (*p && *p != ' '))
        return false;
    while (*p == ' ')
        p++;
    *text = p;
    *value = v;
    return true;
}

static int cmd_create(const char *arg)
{
    u64 base, size = 0;
    if (!number(&arg, &base) || (*arg && (!number(&arg, &size) || !size)) || *arg) {
        printk("say create ADDRESS [SIZE]: where the image lies, in bytes, 0x for hexadecimal\n");
        return -EINVAL;
    }
    return system_load(base, size);
}

static int cmd_destroy(const char *arg)
{
    if (*arg) {
        printk("destroy takes no argument: there is one system at most\n");
        return -EINVAL;
    }
    return system_unload();
}

MONITOR_COMMAND(create, "create", "ADDRESS [SIZE]", "create the system whose image lies there", .run = cmd_create);
MONITOR_COMMAND(destroy, "destroy", "", "stop and destroy all domains, free their memory", .run = cmd_destroy);
