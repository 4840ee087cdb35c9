/* SPDX-License-Identifier: MIT */
/*
 * tcg_plugin.h - the part of QEMU's TCG plugin interface, version 1, that our plugins
 * use (QEMU documentation, "QEMU TCG Plugins"). Debian ships no header for it.
 */
#ifndef AMALGAM_TCG_PLUGIN_H
#define AMALGAM_TCG_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))
#define PLUGIN_API    1

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info { /* qemu_info_t */
    const char *target_name;
    struct {
        int min, current;
    } version;
    bool system_emulation;
    struct {
        int vcpus, max_vcpus;
    } system;
};

enum { PLUGIN_NO_REGISTERS = 0 }; /* a callback accesses no register of the guest */
enum { PLUGIN_ADD_U64 = 0 };      /* inline operation */
enum { PLUGIN_MEM_RW = 3 };       /* loads and stores; the filter for loads only is wrong in 7.2 */

typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_hwaddr;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
/* Where the emulator has it; NULL: nowhere, as in a device. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned vcpu, void *data),
                                          int registers, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *counter, uint64_t value);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*cb)(unsigned vcpu, void *data),
                                            int registers, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *counter, uint64_t value);
/* `cb` is called after the access. The physical address that it looks up is valid until it returns. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*cb)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data),
                                      int registers, int accesses, void *data);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *), void *data);

#endif
