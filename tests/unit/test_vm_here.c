/* SPDX-License-Identifier: MIT */
/* Which of an SCC's kernels, which all have the same system, creates a guest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <net/net.h>
#include <vm/system_part.h>
#include <vm/vm.h>

unsigned scc_core;

static struct sys_domain conf = { .name = "linux", .kind = SYS_KIND_VM };
static const struct domain_ops vms = { 0 };
static struct domain domain = { .conf = &conf };

int domain_elsewhere(struct domain *d) { return 0; }
void printk(const char *fmt, ...) {}
static struct {
    unsigned n, number, ring;
    const u8 *mac;
    u64 cores;
} route;
void net_route(unsigned number, const u8 *mac, u64 cores, unsigned ring)
{
    route = (typeof(route)){ route.n + 1, number, ring, mac, cores };
}

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

static void all_kernels_know_where_its_network_devices_are(void **state)
{
    struct sys_vm *vm = (struct sys_vm *)conf.part;
    vm->n_devices = 2;
    vm->device[0].type = SYS_DEV_BLOCK;
    vm->device[1] = (struct sys_device){ .type = SYS_DEV_NET, .net = 3 };
    domain.id = 11;
    for (unsigned core = 8; core < 10; core++) {
        assert_int_equal(runs(core, 1ull << 9), core == 9);
        assert_int_equal(route.n, core - 7);
        assert_int_equal(route.number, 3);
        assert_int_equal(route.ring, 11);
        assert_int_equal(route.cores, 1ull << 9);
        assert_ptr_equal(route.mac, vm->device[1].mac);
    }
    vm->n_devices = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_is_created_on_the_cores_that_its_record_names),
        cmocka_unit_test(all_kernels_know_where_its_network_devices_are),
        cmocka_unit_test(elsewhere_its_domain_stops_at_once_and_has_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
