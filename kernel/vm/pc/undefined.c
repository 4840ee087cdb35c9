/* SPDX-License-Identifier: MIT */
/* undefined.c - the other maker's instruction for a hypercall, which is undefined on Intel's processors: a program that
 * was built for AMD-V calls us by VMMCALL all the same. */
#include <arch/decode.h>
#include "pc.h"

#define VMMCALL 0xd9

/* The instruction has no operands: nothing is behind 0f 01 d9, which may have prefixes. */
bool pc_is_vmmcall(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u8 code[INSN_MAX + 2] = { 0 };
    int n = insn_match(code, code_bytes(v, code), guest_code_bits(vcpu_cpu(h)), 0x0f);
    if (n < 1 || code[n] != 1 || code[n + 1] != VMMCALL)
        return false;
    vcpu_set_length(h, (unsigned)n + 2);
    return true;
}
