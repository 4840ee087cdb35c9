/* SPDX-License-Identifier: MIT */
/* undefined.c - the other maker's instruction for a hypercall, which is undefined on Intel's processors: a program that
 * was built for AMD-V calls us by VMMCALL all the same. */
#include <arch/decode.h>
#include <arch/trap.h>
#include "pc.h"

#define VMMCALL 0xd9

/* The instruction has no operands: nothing is behind 0f 01 d9, which may have prefixes. */
void pc_undefined(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u8 code[INSN_MAX + 2] = { 0 };
    int n = insn_match(code, code_bytes(v, code), guest_code_bits(vcpu_cpu(h)), 0x0f);
    if (n < 1 || code[n] != 1 || code[n + 1] != VMMCALL) {
        vcpu_inject_exception(h, VEC_UD, false, 0);
        return;
    }
    vcpu_set_length(h, (unsigned)n + 2);
    machine_hypercall(&v->vcpu);
}
