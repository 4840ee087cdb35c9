/* SPDX-License-Identifier: MIT */
/* The permission maps of guests by AMD-V (amdv/setup.c), by their layouts (APM vol. 2, 15.10.1 and 15.11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arch/x86/amdv/setup.c"

static struct cpu core;
struct cpu *host_this_cpu = &core;
u64 host_cr4, written_pat, written_vm_cr;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
u32 amdv_features, amdv_asids, amdv_clean_all;
const bool amdv_checked;
void printk(const char *fmt, ...) {}
void *page_alloc(void) { return NULL; }
void vcpu_reset(struct hal_vcpu *v) {}
u32 quirk_intercept_cr(void) { return 0; }

/* Two bits an MSR, read and write; the low MSRs, those from C0000000 on, those from C0010000 on. */
static void each_msr_exits_but_those_that_vmload_switches(void **state)
{
    static const u32 first[] = { 0, 0xc0000000, 0xc0010000 };
    permission_maps();
    for (unsigned n = 0; n < 3 * 0x2000; n++) {
        u32 msr = first[n / 0x2000] + n % 0x2000;
        bool own = (msr >= 0x174 && msr <= 0x176) || (msr >= 0xc0000081 && msr <= 0xc0000084) ||
                   (msr >= 0xc0000100 && msr <= 0xc0000102);
        if ((msr_map[n / 4] >> n % 4 * 2 & 3) != (own ? 0 : 3))
            fail_msg("MSR %x", msr);
    }
}

static void each_port_exits(void **state)
{
    permission_maps();
    for (unsigned port = 0; port < 0x10000 + 3; port++)
        assert_true(io_map[port / 8] >> port % 8 & 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_msr_exits_but_those_that_vmload_switches),
        cmocka_unit_test(each_port_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
