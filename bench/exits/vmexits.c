/* SPDX-License-Identifier: MIT */
/*
 * vmexits - a plugin for QEMU's TCG: how many instructions the kernel executes from each #VMEXIT to the next VMRUN,
 * that one included, by what the guest did last.  Prints `vmexit KIND COUNT TIMES` in the order of first occurrence.
 *
 * `kernel=FIRST:END` says where the kernel's text is (our guests have no code there).  The counter is bumped once a
 * translated block; VMRUN ends a block, so it is exact there.  The interface is QEMU's plugin API, version 1.
 */
#include "tcg_plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX 4096

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

static const struct kind {
    const char *name;
    unsigned char size, code[3];
} kinds[] = { { "vmmcall", 3, { 0x0f, 0x01, 0xd9 } }, { "cpuid", 2, { 0x0f, 0xa2 } }, { "rdmsr", 2, { 0x0f, 0x32 } },
              { "wrmsr", 2, { 0x0f, 0x30 } },         { "out", 1, { 0xee } },         { "hlt", 1, { 0xf4 } } };
static const unsigned char vmrun[3] = { 0x0f, 0x01, 0xd8 };

static uint64_t count;
static const struct kind *last;
static struct {
    const struct kind *kind;
    uint64_t count, times;
} seen[MAX];
static unsigned n_seen;
static char path[512];
static uint64_t kernel_first, kernel_end;

static void on_guest(unsigned cpu, void *kind)
{
    (void)cpu;
    last = kind;
}

static void on_vmrun(unsigned cpu, void *unused)
{
    (void)cpu, (void)unused;
    unsigned i = 0;
    while (i < n_seen && (seen[i].kind != last || seen[i].count != count))
        i++;
    if (i < MAX) {
        seen[i].kind = last;
        seen[i].count = count;
        seen[i].times++;
        n_seen += i == n_seen;
    }
    count = 0;
    last = NULL;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t at = qemu_plugin_tb_vaddr(tb);
    int kernel = at >= kernel_first && at < kernel_end;
    if (kernel)
        qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &count, n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const void *data = qemu_plugin_insn_data(insn);
        size_t size = qemu_plugin_insn_size(insn);
        if (kernel && size == sizeof(vmrun) && !memcmp(data, vmrun, size))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_vmrun, 0, NULL);
        for (size_t k = 0; !kernel && k < sizeof(kinds) / sizeof(kinds[0]); k++)
            if (size == kinds[k].size && !memcmp(data, kinds[k].code, size))
                qemu_plugin_register_vcpu_insn_exec_cb(insn, on_guest, 0, (void *)&kinds[k]);
    }
}

static void finish(qemu_plugin_id_t id, void *unused)
{
    (void)id, (void)unused;
    FILE *f = fopen(path, "w");
    for (unsigned i = 0; f && i < n_seen; i++)
        fprintf(f, "vmexit %s %" PRIu64 " %" PRIu64 "\n", seen[i].kind ? seen[i].kind->name : "other", seen[i].count,
                seen[i].times);
    if (f)
        fclose(f);
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    if (argc < 2 || strncmp(argv[0], "out=", 4) ||
        sscanf(argv[1], "kernel=%" SCNi64 ":%" SCNi64, (int64_t *)&kernel_first, (int64_t *)&kernel_end) != 2)
        return -1;
    snprintf(path, sizeof(path), "%s", argv[0] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
