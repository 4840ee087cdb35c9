/* SPDX-License-Identifier: MIT */
/* Several programs of Linux serve entries of one area: each takes the rings for its own. */
#include <poll.h>

static int wait_for_bell(struct pollfd *fds, nfds_t n, int timeout);
#define poll wait_for_bell
#include "../../linux/command/backend.c"
#undef poll

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#undef fail

static _Alignas(4096) u8 memory[16 * 4096];
static unsigned served;           /* bits of the entries that were served */
static void (*rings)(unsigned n); /* what the kernel does in the nth wait; it ends after the third */
static unsigned waits;
static int wait_for_bell(struct pollfd *fds, nfds_t n, int timeout)
{
    rings(waits++);
    ended = waits == 3;
    return 0;
}

bool json;
int fail(const char *next, const char *format, ...) { return FAILED; }
int usage(const char *format, ...) { return USAGE; }
int next_option(const char *name, int n, char **word, const char *letters, const struct option *table) { return -1; }
int back_open(struct back *b) { return 0; }
bool serve_block(const struct back *b)
{
    served |= 1u << b->entry;
    return false;
}
void net_to_tap(const struct back *b) { served |= 1u << b->entry; }
bool tap_to_net(const struct back *b) { return false; }
bool has_room(const struct back *b) { return true; }

static void announce(unsigned n, u32 type, const char *name)
{
    struct backend_entry *e = &area->entry[n];
    *e = (struct backend_entry){ .type = type, .offset = 4096 * (n + 1), .size = 4096 * 8, .sectors = 1 };
    strcpy(e->name, name);
    area->n_entries = n + 1;
    area->generation++;
}

static int setup(void **state)
{
    memset(memory, 0, sizeof(memory));
    area = (struct backend_area *)memory;
    area->size = sizeof(memory);
    announce(0, BACKEND_BLOCK, "disk0");
    announce(1, BACKEND_BLOCK, "disk1");
    announce(2, BACKEND_TUNNEL, "out");
    backs[0] = (struct back){ .type = BACKEND_BLOCK, .name = "disk1", .fd = -1, .entry = -1, .size = 4096 };
    n_backs = 1;
    served = waits = 0;
    ended = 0;
    return 0;
}

static void all_are_rung(unsigned n)
{
    if (n == 0) {
        served = 0;
        area->to_linux = 7;
    }
}
static void a_back_end_takes_its_own_rings_only(void **state)
{
    rings = all_are_rung;
    assert_int_equal(loop(), 0);
    assert_int_equal(served, 1 << 1);
    assert_int_equal(area->to_linux, 5); /* others serve those */
}

static void a_back_end_without_an_entry_takes_no_ring(void **state)
{
    rings = all_are_rung;
    backs[0].name = "disk9";
    assert_int_equal(loop(), 0);
    assert_int_equal(area->to_linux, 7);
}

/* The kernel rings as it announces: the bit is not left set, or the next ring would not come. */
static void announced_anew(unsigned n)
{
    if (n == 0) {
        area->to_linux = 1;
        announce(0, BACKEND_BLOCK, "disk1");
    } else if (n == 1) {
        assert_int_equal(served, 1 << 1 | 1 << 0);
        assert_int_equal(area->to_linux, 0);
    }
}
static void an_entry_with_another_number_is_served_and_rung_again(void **state)
{
    rings = announced_anew;
    assert_int_equal(loop(), 0);
    assert_int_equal(waits, 3);
}

/* The system is destroyed: its entries are gone, as kernel/attach/split.c says it. */
static void destroyed(void)
{
    area->n_entries = 0;
    area->generation++;
}

static void gone_in_the_second_wait(unsigned n)
{
    const u32 *served = &area->entry[1].served;
    if (n == 0) {
        assert_int_equal(*served, area->generation);
        assert_int_equal(area->entry[0].served | area->entry[2].served, 0);
    } else if (n == 1) {
        assert_int_equal(*served, area->generation);
        destroyed();
    } else {
        assert_int_equal(*served, 0);
        assert_int_equal(backs[0].entry, -1);
    }
}
static void a_back_end_says_what_it_serves_until_that_is_gone(void **state)
{
    rings = gone_in_the_second_wait;
    assert_int_equal(loop(), 0);
}

static void nothing(unsigned n) {}
static void a_back_end_that_ends_lets_go(void **state)
{
    rings = nothing;
    assert_int_equal(loop(), 0);
    assert_int_equal(area->entry[1].served, 0);
}

/* It was killed: the one that serves the name after it lets go for both. */
static void a_successor_serves_what_a_killed_one_served(void **state)
{
    area->entry[1].served = area->generation - 1;
    rings = nothing;
    assert_int_equal(loop(), 0);
    assert_int_equal(area->entry[1].served, 0);
}

/* The kernel has waited in vain, and another program serves an entry with the same number in the next system. */
static void a_system_came_meanwhile(unsigned n)
{
    if (n != 0)
        return;
    destroyed();
    memset(area->entry, 0, sizeof(area->entry));
    announce(0, BACKEND_BLOCK, "disk7");
    announce(1, BACKEND_BLOCK, "disk8");
    area->entry[1].served = area->generation;
}
static void a_late_back_end_leaves_the_next_system_alone(void **state)
{
    rings = a_system_came_meanwhile;
    assert_int_equal(loop(), 0);
    assert_int_equal(area->entry[1].served, area->generation);
    assert_int_equal(backs[0].entry, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_back_end_takes_its_own_rings_only, setup),
        cmocka_unit_test_setup(a_back_end_without_an_entry_takes_no_ring, setup),
        cmocka_unit_test_setup(an_entry_with_another_number_is_served_and_rung_again, setup),
        cmocka_unit_test_setup(a_back_end_says_what_it_serves_until_that_is_gone, setup),
        cmocka_unit_test_setup(a_back_end_that_ends_lets_go, setup),
        cmocka_unit_test_setup(a_successor_serves_what_a_killed_one_served, setup),
        cmocka_unit_test_setup(a_late_back_end_leaves_the_next_system_alone, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
