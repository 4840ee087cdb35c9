/* SPDX-License-Identifier: MIT */
/* Which of an SCC's kernels, which all have the same system, creates a guest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <vm/system_part.h>
#include <vm/vm.h>

unsigned scc_core;

static struct sys_domain conf = { .name = "linux", .kind = SYS_KIND_VM };
static const struct domain_ops vms = { 0 };
static struct domain domain = { .conf = &conf };

int domain_elsewhere(struct domain *d) { return 0; }
void printk(const char *fmt, ...) {}

static bool runs(unsigned core, u64 ues)
{
    ((struct sys_vm *)conf.part)->ues = ues;
    scc_core = core;
    domain.ops = &vms;
    return vm_is_here(&domain);
}

static void a_guest_is_created_on_the_cores_that_its_record_names(void **state)
{
    for (unsigned core = 0; core < 48; core++) {
        assert_true(runs(core, 1ull << core));
        assert_ptr_equal(domain.ops, &vms);
        assert_false(runs(core, ~(1ull << core)));
    }
}

static void elsewhere_its_domain_stops_at_once_and_has_no_memory(void **state)
{
    assert_false(runs(5, 1ull << 4 | 1ull << 37));
    assert_ptr_equal(domain.ops->start, domain_elsewhere);
    assert_null(domain.ops->create);
    assert_null(domain.ops->input);
    assert_null(domain.ops->share);
    assert_null(domain.impl);
    domain.ops->kill(&domain); /* before its end is told, `stop` may come */
    domain.ops->stats(&domain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_is_created_on_the_cores_that_its_record_names),
        cmocka_unit_test(elsewhere_its_domain_stops_at_once_and_has_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
