/* SPDX-License-Identifier: MIT */
/*
 * sbi.h - what the calls of a cluster's kernel (sbi.c, device.c) share: errors, results, and the two checks of what a
 * kernel names, which may only be addresses in its slice and harts of its cluster.
 */
#ifndef FIRMWARE_SBI_H
#define FIRMWARE_SBI_H

#include "hart.h"

enum {
    SBI_SUCCESS = 0,
    SBI_ERR_FAILED = -1,
    SBI_ERR_NOT_SUPPORTED = -2,
    SBI_ERR_INVALID_PARAM = -3,
    SBI_ERR_DENIED = -4,
    SBI_ERR_INVALID_ADDRESS = -5,
    SBI_ERR_ALREADY_AVAILABLE = -6,
    SBI_ERR_IO = -13,
};

struct result {
    long error;
    ulong value;
};

static inline struct result failed(long error) { return (struct result){ error, 0 }; }
static inline struct result done(ulong value) { return (struct result){ SBI_SUCCESS, value }; }

/* Returns whether [base, base + size) lies in the caller's slice. `high`: the upper half of an address in two
 * registers. */
static inline bool in_slice(const struct fw_cluster *own, ulong base, ulong high, ulong size)
{
    return !high && size <= own->slice_size && base >= own->slice && base - own->slice <= own->slice_size - size;
}

/* Returns the hart of the caller's cluster with this number, or NULL if there is none. */
static inline struct hart *own_hart(const struct fw_cluster *own, ulong id)
{
    bool is_slave = id >= own->first_slave && id - own->first_slave < own->n_harts - 1;
    return is_slave || id == own->master ? &harts[id] : NULL;
}

/* device.c: do one call of the extension for devices; `a` are the arguments. */
struct result device_call(struct hart *me, ulong function, const ulong *a);

#endif
