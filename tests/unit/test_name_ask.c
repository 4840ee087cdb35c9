/* SPDX-License-Identifier: MIT */
/* test_name_ask.c - how long a name server is waited for (user/nanvix/lib/name.c), by lookups in haste and by what is
 * patient. The test is the servers and the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <amalgam/clusters.h>

#include "../../user/nanvix/lib/name.c"

#define PATIENCE ASK_PATIENCE_NS
#define REST     250000000u

static uint64_t now, takes[NAMES_SERVERS]; /* until a server has answered */
static unsigned asked;

uint64_t amalgam_clock(void) { return now; }
void nanvix_lock_take(uint32_t *l) { assert_int_equal((*l)++, 0); }
void nanvix_lock_drop(uint32_t *l) { (*l)--; }
void ask_close(struct ask_server *s) { (void)s; }
int ask_begin(void) { return 0; }
uint64_t ask_random(void) { return 7; }
int knode_get_num(void) { return 1; }
int64_t amalgam_cluster_info(enum amalgam_cluster_info field) { return field == AMALGAM_CLUSTER_INFO_NODES ? 7 : -1; }

unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned port, unsigned most)
{
    (void)name, (void)usual, (void)s, (void)port;
    return most;
}

bool ask_in_place(struct ask_server *s, void *room, uint64_t ns)
{
    struct names_message *m = room;
    uint64_t needs = takes[s - servers];
    if (now < s->rests_until)
        return false;
    asked++;
    now += needs < ns ? needs : ns;
    s->rests_until = needs < ns ? 0 : now + REST;
    m->result = NAMES_DONE;
    m->joining = 0;
    m->value = 5;
    return needs < ns;
}

static int setup(void **state)
{
    (void)state;
    memset(servers, 0, sizeof(servers));
    memset(takes, 0, sizeof(takes));
    begun = false;
    now += 10 * (uint64_t)REST;
    asked = 0;
    return 0;
}

static uint64_t lookup(const char *name, int result)
{
    uint64_t then = now;
    assert_int_equal(nanvix_name_lookup(name), result);
    return now - then;
}

static void a_dead_server_costs_a_lookup_little_and_the_next_ones_nothing(void **state)
{
    (void)state;
    takes[0] = UINT64_MAX;
    assert_int_equal(lookup("one", 5), NAME_HASTE_NS);
    assert_int_equal(lookup("two", 5), 0); /* it rests */
    assert_int_equal(asked, 5);
    now += REST;
    assert_int_equal(lookup("three", 5), NAME_HASTE_NS);
}

static void who_was_late_in_haste_is_waited_for_where_others_do_not_say_it(void **state)
{
    (void)state;
    takes[0] = UINT64_MAX;
    takes[1] = 2 * NAME_HASTE_NS;
    assert_int_equal(lookup("one", 5), 2 * NAME_HASTE_NS + PATIENCE + takes[1]);
    assert_int_equal(lookup("two", 5), NAME_HASTE_NS + takes[1]); /* server 0 rests: it had all patience */
}

static void two_dead_servers_rest_after_they_were_waited_for(void **state)
{
    (void)state;
    takes[0] = takes[2] = UINT64_MAX;
    assert_int_equal(lookup("one", -EAGAIN), 2 * NAME_HASTE_NS + 2 * PATIENCE);
    asked = 0;
    assert_int_equal(lookup("one", -EAGAIN), 0);
    assert_int_equal(asked, 1);
}

static void a_link_asks_who_was_late_in_haste(void **state)
{
    (void)state;
    takes[0] = 2 * NAME_HASTE_NS;
    assert_int_equal(lookup("one", 5), NAME_HASTE_NS);
    asked = 0;
    assert_int_equal(nanvix_name_link(1, "two"), 0);
    assert_int_equal(asked, 3);
}

/* More clusters than a library's constant says, or fewer: the board's number decides which there are. */
static void a_name_is_given_to_a_cluster_of_the_board_by_itself_only(void **state)
{
    (void)state;
    assert_int_equal(nanvix_name_link(6, "two"), -EPERM);
    assert_int_equal(nanvix_name_link(7, "two"), -EINVAL);
    assert_int_equal(nanvix_name_link(-1, "two"), -EINVAL);
    assert_int_equal(asked, 0);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dead_server_costs_a_lookup_little_and_the_next_ones_nothing),
        TEST(who_was_late_in_haste_is_waited_for_where_others_do_not_say_it),
        TEST(two_dead_servers_rest_after_they_were_waited_for),
        TEST(a_link_asks_who_was_late_in_haste),
        TEST(a_name_is_given_to_a_cluster_of_the_board_by_itself_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
