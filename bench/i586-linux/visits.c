/* SPDX-License-Identifier: MIT */
/*
 * visits - a plugin for QEMU's TCG: how many instructions the kernel executes each time that a guest in ring 1 leaves,
 * and how many of these change page tables, descriptors and registers. Prints `visit ALL CHANGE TIMES` in the order of
 * first occurrence. Addresses do not tell the guest's code from the kernel's, so a visit is what lies between two
 * places.
 *
 *   -plugin visits.so,out=FILE,from=FIRST:END,into=ADDR,change=FIRST:END,change=FIRST:END...
 *
 * A visit begins with an instruction in `from`, which is a range of `change`, and ends with the one at `into`. The
 * interface is QEMU's plugin API, version 1.
 */
#include "tcg_plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST   4096
#define RANGES 4

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

struct range {
    uint64_t first, end;
};

static struct range from, change[RANGES];
static unsigned n_changes, n_seen;
static uint64_t into, all, changing;
static bool here; /* in a visit */
static struct {
    uint64_t all, change, times;
} seen[MOST];
static char path[512];

static bool within(const struct range *r, uint64_t at) { return at >= r->first && at < r->end; }

static void on_other(unsigned cpu, void *unused)
{
    (void)cpu, (void)unused;
    all += here;
}

static void on_change(unsigned cpu, void *begins)
{
    (void)cpu;
    here |= begins != NULL;
    all += here;
    changing += here;
}

static void on_end(unsigned cpu, void *unused)
{
    (void)unused;
    unsigned i = 0;
    on_change(cpu, NULL);
    while (i < n_seen && (seen[i].all != all || seen[i].change != changing))
        i++;
    if (here && i < MOST) {
        seen[i].all = all;
        seen[i].change = changing;
        seen[i].times++;
        n_seen += i == n_seen;
    }
    here = false;
    all = changing = 0;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        bool changes = false;
        for (unsigned k = 0; k < n_changes; k++)
            changes |= within(&change[k], at);
        qemu_plugin_register_vcpu_insn_exec_cb(insn,
                                               at == into ? on_end
                                               : changes  ? on_change
                                                          : on_other,
                                               0, within(&from, at) ? (void *)&from : NULL);
    }
}

static void finish(qemu_plugin_id_t id, void *unused)
{
    (void)id, (void)unused;
    FILE *f = fopen(path, "w");
    for (unsigned i = 0; f && i < n_seen; i++)
        fprintf(f, "visit %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", seen[i].all, seen[i].change, seen[i].times);
    if (f)
        fclose(f);
}

static int parse(const char *text, struct range *r)
{
    char *end;
    r->first = strtoull(text, &end, 0);
    if (*end != ':')
        return 0;
    r->end = strtoull(end + 1, &end, 0);
    return !*end;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            snprintf(path, sizeof(path), "%s", argv[i] + 4);
        else if (!strncmp(argv[i], "into=", 5))
            into = strtoull(argv[i] + 5, NULL, 0);
        else if (!strncmp(argv[i], "from=", 5) && parse(argv[i] + 5, &from))
            continue;
        else if (n_changes < RANGES && !strncmp(argv[i], "change=", 7) && parse(argv[i] + 7, &change[n_changes]))
            n_changes++;
        else
            return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
