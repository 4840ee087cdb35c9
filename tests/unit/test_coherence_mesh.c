/* SPDX-License-Identifier: MIT */
/* What a fill costs on the SCC (tools/plugin/coherence_mesh.c), against its closed form for each pair of cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "coherence_mesh.h"

#define BUFFERS   0x31100000u
#define BUFFER    0x2000u
#define MEMORY    0x40000000u
#define QUARTER   0x100000u
#define OTHERWISE 7u
#define ACROSS    6
#define DOWN      4

static const struct corner {
    const char *word;
    int x, y;
} corners[] = { { "dram=40000000:40100000:0:0", 0, 0 },
                { "dram=40100000:40200000:5:0", 5, 0 },
                { "dram=40200000:40300000:0:2", 0, 2 },
                { "dram=40300000:40400000:5:2", 5, 2 } };

static struct place {
    int x, y;
} of[MESH_CORES];

static int group_setup(void **state)
{
    unsigned core = 0;
    for (int y = 0; y < DOWN; y++)
        for (int x = 0; x < ACROSS; x++)
            for (int two = 0; two < 2; two++)
                of[core++] = (struct place){ x, y };
    bool known = mesh_option("mpb=31100000:31160000:2000", MESH_CORES);
    for (unsigned i = 0; i < 4; i++)
        known = known && mesh_option(corners[i].word, MESH_CORES);
    return known ? 0 : -1;
}

static int distance(struct place a, struct place b)
{
    int x = a.x - b.x, y = a.y - b.y;
    return (x < 0 ? -x : x) + (y < 0 ? -y : y);
}

/* To the next cycle of 533 MHz. */
static uint64_t nearest(double core_cycles, double other_cycles)
{
    return (uint64_t)(core_cycles + other_cycles / 800e6 * 533e6 + 0.5);
}

static void a_buffer_costs_by_the_hops_to_its_tile(void **state)
{
    for (unsigned core = 0; core < MESH_CORES; core++)
        for (unsigned owner = 0; owner < MESH_CORES; owner++) {
            uint64_t expected = nearest(45, 8.0 * distance(of[core], of[owner])), at = BUFFERS + owner * BUFFER;
            assert_int_equal(mesh_fill(core, at, OTHERWISE), expected);
            assert_int_equal(mesh_fill(core, at + BUFFER - 1, OTHERWISE), expected);
        }
    assert_int_equal(mesh_fill(0, BUFFERS, OTHERWISE), 45);               /* its own */
    assert_int_equal(mesh_fill(0, BUFFERS + BUFFER, OTHERWISE), 45);      /* its tile's other one */
    assert_int_equal(mesh_fill(0, BUFFERS + 47 * BUFFER, OTHERWISE), 88); /* 8 hops away: 45 + 42.64 */
}

static void memory_costs_by_the_hops_to_its_controller(void **state)
{
    for (unsigned core = 0; core < MESH_CORES; core++)
        for (unsigned i = 0; i < 4; i++) {
            struct place corner = { corners[i].x, corners[i].y };
            uint64_t expected = nearest(40, 8.0 * distance(of[core], corner) + 46);
            assert_int_equal(mesh_fill(core, MEMORY + i * QUARTER, OTHERWISE), expected);
        }
    assert_int_equal(mesh_fill(0, MEMORY, OTHERWISE), 71);   /* 40 + 30.65 */
    assert_int_equal(mesh_fill(47, MEMORY, OTHERWISE), 113); /* 40 + 42.64 + 30.65 */
}

static void other_memory_costs_what_the_caller_says(void **state)
{
    static const uint64_t outside[] = { 0,          BUFFERS - 1,          BUFFERS + MESH_CORES * BUFFER,
                                        MEMORY - 1, MEMORY + 4 * QUARTER, UINT64_MAX };
    for (unsigned i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
        assert_int_equal(mesh_fill(47, outside[i], OTHERWISE), OTHERWISE);
}

static void what_cannot_be_is_refused(void **state)
{
    static const char *const wrong[] = {
        "fill=3",
        "mpb=",
        "mpb=50000000:50060000",        /* no bytes */
        "mpb=50000000:50060000:0",      /* none for a core */
        "mpb=50060000:50060000:2000",   /* empty */
        "mpb=50060000:50000000:2000",   /* backwards */
        "mpb=50000000:50060001:2000",   /* a 49th core */
        "mpb=50000000:50060000:2000:1", /* more words */
        "mpb=31150000:31170000:2000",   /* has a home */
        "dram=50000000:50100000:6:0",   /* no such column, */
        "dram=50000000:50100000:0:4",   /* row */
        "dram=50000000:50100000:-1:0",  /* or column */
        "dram=50000000:50100000:0",     /* no row */
        "dram=50000000:50000000:0:0",   /* empty */
        "dram=50000000:50100000:0:0 ",  /* more words */
        "dram=3fffffff:40000001:0:0",   /* has a home */
        "dram=40000000:40000001:5:2",   /* has another one */
    };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (mesh_option(wrong[i], MESH_CORES))
            fail_msg("%s", wrong[i]);
    assert_false(mesh_option("dram=50000000:50100000:0:0", MESH_CORES + 1));
    assert_int_equal(mesh_fill(0, 0x50000000, OTHERWISE), OTHERWISE);
}

/* The last test: it uses up the homes. */
static void homes_are_bounded(void **state)
{
    static const char *const words[] = {
        "dram=60000000:60000001:0:0", "dram=60000001:60000002:0:0", "dram=60000002:60000003:0:0",
        "dram=60000003:60000004:0:0", "dram=60000004:60000005:0:0", "dram=60000005:60000006:0:0",
        "dram=60000006:60000007:0:0", "dram=60000007:60000008:0:0", "dram=60000008:60000009:0:0",
        "dram=60000009:6000000a:0:0", "dram=6000000a:6000000b:0:0",
    };
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_true(mesh_option(words[i], MESH_CORES));
    assert_false(mesh_option("dram=60000010:60000011:0:0", MESH_CORES));
    assert_int_equal(mesh_fill(0, 0x6000000a, OTHERWISE), 71);
    assert_int_equal(mesh_fill(0, 0x60000010, OTHERWISE), OTHERWISE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_costs_by_the_hops_to_its_tile),
        cmocka_unit_test(memory_costs_by_the_hops_to_its_controller),
        cmocka_unit_test(other_memory_costs_what_the_caller_says),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(homes_are_bounded),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
