/* SPDX-License-Identifier: MIT */
/* Rings of other kernels: who is held back leaves a bit, and is heard when it is wanted again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/gic.h>
#include <core/init.h>
#include <string.h>
#include <sys/mman.h>

#define ME    5u
#define OTHER 40u

unsigned scc_core = ME;
u32 scc_registers, scc_start_page;
static unsigned raised[SCC_CORES];

bool scc_chosen(unsigned core) { return false; }
void *hal_map_device(u64 pa, u64 size) { return NULL; }
void apic_icr(u32 core, u32 command) { raised[core]++; }

static struct scc_shared *shared(void) { return scc_shared(); }
static u64 of(unsigned core) { return 1ull << core; }
static u64 word(const u32 *words) { return (u64)words[1] << 32 | words[0]; }

static int group_setup(void **state)
{
    void *at =
        mmap(scc_shared(), 0x100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != scc_shared())
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    return 0;
}

static int setup(void **state)
{
    scc_gic_mask(0);
    scc_gic_forward(true);
    scc_gic_take();
    memset(raised, 0, sizeof(raised));
    return 0;
}

/* Ring as another core does. */
static void ring_as(unsigned core, bool bell)
{
    scc_core = core;
    if (bell)
        scc_bell(ME);
    else
        scc_interrupt(ME);
    scc_core = ME;
}

static void a_core_says_where_it_is_and_that_it_wants_all(void **state)
{
    u32 id = shared()->tile[ME];
    assert_int_equal(id, 1 | 2 << 3); /* the second core of tile 2 */
    assert_int_equal(SCC_TILE_COLUMN(SCC_TILE_ID(47)), 5);
    assert_int_equal(SCC_TILE_ROW(SCC_TILE_ID(47)), 3);
    assert_int_equal(SCC_TILE_ID(12), 1 << 7);
    assert_int_equal(shared()->configuration[ME], SCC_LINT0);
    assert_int_equal(word(shared()->mask[ME]), 0);
}

static void a_ring_interrupts_and_names_who_rang(void **state)
{
    ring_as(OTHER, true);
    assert_int_equal(raised[ME], 1);
    assert_int_equal(word(shared()->rang[ME]), of(OTHER));
    assert_int_equal(scc_gic_take(), of(OTHER));
    assert_int_equal(scc_gic_take(), 0);
    ring_as(OTHER, false); /* for a message, whose words name the sender */
    assert_int_equal(raised[ME], 2);
    assert_int_equal(word(shared()->rang[ME]), 0);
}

static void who_is_masked_leaves_a_bit_and_rings_when_it_is_wanted(void **state)
{
    scc_gic_mask(of(OTHER) | of(3));
    assert_int_equal(word(shared()->mask[ME]), of(OTHER) | of(3));
    ring_as(OTHER, true);
    ring_as(3, false);
    assert_int_equal(raised[ME], 0);
    assert_int_equal(word(shared()->rang[ME]), of(OTHER) | of(3));
    ring_as(35, true); /* as OTHER's bit in the other word */
    assert_int_equal(raised[ME], 1);
    assert_int_equal(scc_gic_take(), of(35)); /* and the others' stay */
    assert_int_equal(word(shared()->rang[ME]), of(OTHER) | of(3));
    scc_gic_renew();
    assert_int_equal(raised[ME], 1);
    scc_gic_mask(of(OTHER));
    assert_int_equal(raised[ME], 2);
    assert_int_equal(scc_gic_take(), of(3));
    scc_gic_mask(of(OTHER) | of(7));
    assert_int_equal(raised[ME], 2);
    scc_gic_mask(0);
    assert_int_equal(raised[ME], 3);
    assert_int_equal(scc_gic_take(), of(OTHER));
    scc_gic_mask(0);
    assert_int_equal(raised[ME], 3);
}

static void without_its_pin_nothing_interrupts_a_core(void **state)
{
    scc_gic_forward(false);
    ring_as(OTHER, true);
    ring_as(3, false);
    scc_gic_mask(of(3)); /* other words change nothing of that */
    scc_gic_renew();
    assert_int_equal(raised[ME], 0);
    scc_gic_forward(true);
    assert_int_equal(raised[ME], 1);
    assert_int_equal(scc_gic_take(), of(OTHER));
}

/* Any kernel may write them. */
static void words_that_are_rubbish_are_renewed(void **state)
{
    shared()->configuration[ME] = ~SCC_LINT0;
    shared()->mask[ME][1] = ~0u;
    ring_as(OTHER, false);
    assert_int_equal(raised[ME], 0);
    scc_gic_renew();
    assert_int_equal(raised[ME], 1);
    assert_int_equal(shared()->configuration[ME], SCC_LINT0);
    assert_int_equal(word(shared()->mask[ME]), 0);
    assert_int_equal(scc_gic_take(), of(OTHER));
    scc_gic_renew();
    assert_int_equal(raised[ME], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_core_says_where_it_is_and_that_it_wants_all, setup),
        cmocka_unit_test_setup(a_ring_interrupts_and_names_who_rang, setup),
        cmocka_unit_test_setup(who_is_masked_leaves_a_bit_and_rings_when_it_is_wanted, setup),
        cmocka_unit_test_setup(without_its_pin_nothing_interrupts_a_core, setup),
        cmocka_unit_test_setup(words_that_are_rubbish_are_renewed, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
