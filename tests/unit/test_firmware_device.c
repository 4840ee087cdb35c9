/* SPDX-License-Identifier: MIT */
/* Who waits for the lock of a many-core's devices in the firmware: harts of clusters that have one, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>

#define FIRMWARE_CSR_H /* its instructions and registers are another machine's */
#include <table.h>

static struct fw_table fake_table;
#undef FW_TABLE
#define FW_TABLE (&fake_table)
#define IRQ_SE   (1ul << 9)

static ulong mip;
static u32 fake_register;
#define csr_clear(name, bits) ((name) &= ~(bits))
#define csr_set(name, bits)   ((name) |= (bits))
static volatile u32 *reg32(ulong address) { return &fake_register; }
static void fence_io(void) {}
static void relax(u32 hart);

#include <device.c>
#include <virtqueue.c>

enum { OWNER, STRANGER, FUNCTIONS = 9 };

struct hart harts[FW_HARTS];
static struct fw_device *lent;
static unsigned waits;

void clear(ulong base, ulong size) {}

/* Who holds the lock lets it go now. */
static void relax(u32 hart)
{
    waits++;
    __atomic_store_n(&tickets.serving, tickets.serving + 1, __ATOMIC_RELEASE);
}

/* Hart 0 is the owner's, hart 1 the stranger's; another hart has the lock. */
static int setup(void **state)
{
    if (!lent)
        lent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    struct fw_cluster *own = (struct fw_cluster *)(lent + 1);
    own[OWNER] = (struct fw_cluster){ .master = 0, .n_harts = 1 };
    own[STRANGER] = (struct fw_cluster){ .master = 1, .n_harts = 1 };
    *lent = (struct fw_device){ .irq = 1, .cluster = OWNER };
    fake_table = (struct fw_table){ .devices = (u32)(uintptr_t)lent, .n_devices = 1, .clusters = (u32)(uintptr_t)own };
    harts[OWNER] = (struct hart){ .id = 0, .cluster = OWNER };
    harts[STRANGER] = (struct hart){ .id = 1, .cluster = STRANGER };
    devices[0] = (struct device){ .raised = true };
    tickets.next = tickets.serving + 1;
    waits = 0;
    mip = IRQ_SE;
    return 0;
}

static void a_cluster_without_a_device_does_not_wait_for_those_that_have_one(void **state)
{
    for (ulong function = 0; function <= FUNCTIONS; function++) {
        mip = IRQ_SE;
        struct result result = device_call(&harts[STRANGER], function, (const ulong[8]){ 0 });
        assert_int_equal(result.error, function == 8 ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM);
        assert_int_equal(result.value, 0);
        assert_int_equal(mip, function == 8 ? 0 : IRQ_SE);
    }
    assert_int_equal(waits, 0);
    assert_true(devices[0].raised);
}

static void a_cluster_with_a_device_waits_and_is_told_once(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct result result = device_call(&harts[OWNER], 8, (const ulong[8]){ 0 });
        assert_int_equal(result.error, SBI_SUCCESS);
        assert_int_equal(result.value, !i);
        assert_int_equal(mip, 0);
        assert_int_equal(waits, 1);
    }
    assert_int_equal(tickets.next, tickets.serving);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_cluster_without_a_device_does_not_wait_for_those_that_have_one, setup),
        cmocka_unit_test_setup(a_cluster_with_a_device_waits_and_is_told_once, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
