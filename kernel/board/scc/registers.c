/* SPDX-License-Identifier: MIT */
/* registers.c - the control console shows any core's registers as they are words of shared memory, and sets core 0's:
 * `gic 17`, `gic hold 17`, `gic pass 17`, `gic off`, `gic on`. */
#include <board/gic.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <string.h>

#include "commands.h"

static u64 held;

static u64 bits(const u32 *words) { return (u64)READ_ONCE(words[1]) << 32 | READ_ONCE(words[0]); }

static int show(unsigned core)
{
    const struct scc_shared *s = scc_shared();
    u32 id = READ_ONCE(s->tile[core]);
    printk("core %u: tile at %u,%u; status %llx, mask %llx, configuration %x\n", core, SCC_TILE_COLUMN(id),
           SCC_TILE_ROW(id), bits(s->rang[core]), bits(s->mask[core]), READ_ONCE(s->configuration[core]));
    return 0;
}

static int hold(unsigned core, bool on)
{
    held = on ? held | 1ull << core : held & ~(1ull << core);
    scc_gic_mask(held);
    return 0;
}

/* If `text` begins with `word`, a blank behind it, return what follows; else NULL. */
static const char *after(const char *text, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(text, word, n) && text[n] == ' ' ? text + n + 1 : NULL;
}

static int cmd_gic(const char *arg)
{
    bool on = !strcmp(arg, "on");
    if (on || !strcmp(arg, "off")) {
        scc_gic_forward(on);
        return 0;
    }
    const char *to_hold = after(arg, "hold"), *to_pass = after(arg, "pass");
    unsigned core = scc_parse_core(to_hold ? to_hold : to_pass ? to_pass : arg);
    if (core < SCC_CORES)
        return to_hold || to_pass ? hold(core, to_hold) : show(core);
    printk("say gic CORE, gic hold CORE, gic pass CORE, gic off or gic on: a core from 0 to %u\n", SCC_CORES - 1);
    return -EINVAL;
}

MONITOR_COMMAND(gic, "gic", "CORE | hold CORE | pass CORE | off | on",
                "show a core's words for interrupts; hold back rings of a core at core 0, or all", .run = cmd_gic);
