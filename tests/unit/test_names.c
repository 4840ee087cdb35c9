/* SPDX-License-Identifier: MIT */
/* test_names.c - the name server's table alone, then clients with up to three servers that die and begin again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "name/table.h"
#include "name_client.h"

#define CLUSTERS 4
#define SHARE    (NAMES_TABLE / CLUSTERS)
#define LEASE    NAMES_LEASE_NS

static struct names_table table[NAMES_SERVERS];
static struct name_client client[3];
static bool down[NAMES_SERVERS];
static bool slow[NAMES_SERVERS]; /* answers who is patient only */
static unsigned waited;          /* for a dead server, with patience */
static uint64_t now;

static int setup(void **state)
{
    (void)state;
    now = 1000;
    memset(client, 0, sizeof(client));
    memset(down, 0, sizeof(down));
    memset(slow, 0, sizeof(slow));
    for (unsigned s = 0; s < NAMES_SERVERS; s++)
        names_begin(&table[s], CLUSTERS, 77 + s, now, true);
    for (unsigned i = 0; i < 3; i++)
        client[i] = (struct name_client){ .servers = NAMES_SERVERS, .node = 1 + i, .secret = 100 + i };
    return 0;
}

/* The way between clients and servers. */
bool name_ask(unsigned server, union name_room *room, bool patient)
{
    struct names_message *m = &room->message;
    for (size_t i = sizeof(*m) / sizeof(uint64_t); i < sizeof(*room) / sizeof(uint64_t); i++)
        assert_int_equal(room->words[i], 0); /* all of it is sent */
    memset(room->words + sizeof(*m) / sizeof(uint64_t), 0xaa, sizeof(*room) - sizeof(*m));
    now += 1000;
    waited += patient && down[server];
    if (slow[server] && !patient)
        return false;
    return !down[server] && names_serve(&table[server], m->value, m, now);
}
uint64_t name_now(void) { return now; }

/* As name.c does. */
static int look_up(struct name_client *c, const char *name)
{
    int known = name_client_recall(c, name, now);
    return known >= 0 ? known : name_client_lookup(c, name, now);
}

static struct names_message request(enum names_op op, unsigned node, uint64_t secret, const char *name)
{
    struct names_message m = { .magic = NAMES_MAGIC, .op = (uint8_t)op, .value = node, .client = secret };
    snprintf((char *)m.name, sizeof(m.name), "%s", name);
    return m;
}

static enum names_result say(enum names_op op, unsigned node, uint64_t secret, const char *name)
{
    struct names_message m = request(op, node, secret, name);
    assert_true(names_serve(&table[0], node, &m, now));
    assert_int_equal(m.client, 0); /* nobody learns a client's number */
    return m.result;
}

/* The table */

static void a_name_is_its_clients_until_it_is_unlinked(void **state)
{
    (void)state;
    assert_int_equal(say(NAMES_LOOKUP, 2, 0, "disk"), NAMES_UNKNOWN);
    assert_int_equal(say(NAMES_LINK, 1, 5, "disk"), NAMES_DONE);
    assert_int_equal(say(NAMES_LINK, 2, 5, "disk"), NAMES_TAKEN); /* another cluster */
    assert_int_equal(say(NAMES_LINK, 1, 6, "disk"), NAMES_TAKEN); /* another process */
    assert_int_equal(say(NAMES_UNLINK, 2, 5, "disk"), NAMES_UNKNOWN);
    assert_int_equal(say(NAMES_UNLINK, 1, 6, "disk"), NAMES_UNKNOWN);
    struct names_message m = request(NAMES_LOOKUP, 3, 0, "disk");
    assert_true(names_serve(&table[0], 3, &m, now));
    assert_int_equal(m.value, 1);
    assert_int_equal(say(NAMES_UNLINK, 1, 5, "disk"), NAMES_DONE);
    assert_int_equal(say(NAMES_LOOKUP, 2, 0, "disk"), NAMES_UNKNOWN);
    assert_int_equal(names_count(&table[0]), 0);
}

static void the_names_of_a_dead_client_vanish_with_their_lease(void **state)
{
    (void)state;
    assert_int_equal(say(NAMES_LINK, 1, 5, "lives"), NAMES_DONE);
    assert_int_equal(say(NAMES_LINK, 1, 6, "dies"), NAMES_DONE);
    now += LEASE - 1;
    assert_int_equal(say(NAMES_LINK, 1, 5, "lives"), NAMES_DONE);
    assert_int_equal(say(NAMES_LOOKUP, 2, 0, "dies"), NAMES_DONE);
    now += 1;
    assert_int_equal(say(NAMES_LOOKUP, 2, 0, "dies"), NAMES_UNKNOWN);
    assert_int_equal(say(NAMES_LINK, 2, 7, "dies"), NAMES_DONE);
    assert_int_equal(say(NAMES_LOOKUP, 2, 0, "lives"), NAMES_DONE);
}

static void a_cluster_has_its_share_and_takes_no_other(void **state)
{
    (void)state;
    char name[16];
    for (unsigned i = 0; i < SHARE + 10; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        assert_int_equal(say(NAMES_LINK, 1, i, name), i < SHARE ? NAMES_DONE : NAMES_FULL);
    }
    for (unsigned i = 0; i < SHARE; i++) {
        snprintf(name, sizeof(name), "m%u", i);
        assert_int_equal(say(NAMES_LINK, 2, 1, name), NAMES_DONE);
    }
    assert_int_equal(say(NAMES_LINK, 1, 0, "n0"), NAMES_DONE); /* what it has it may link again */
    now += LEASE;
    assert_int_equal(say(NAMES_LINK, 1, 1, "again"), NAMES_DONE); /* what has ended takes no share */
    now += LEASE;
    for (unsigned i = 0; i < SHARE; i++) {
        snprintf(name, sizeof(name), "o%u", i);
        assert_int_equal(say(NAMES_LINK, 1, 1, name), NAMES_DONE);
    }
}

static void what_is_no_name_or_names_another_cluster_is_refused(void **state)
{
    (void)state;
    struct names_message m = request(NAMES_LINK, 1, 5, "");
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(NAMES_LINK, 1, 5, "name");
    ((char *)m.name)[20] = 'x'; /* behind the end */
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(NAMES_LINK, 1, 5, "name678");
    ((char *)m.name)[9] = 'x'; /* behind the end, in another word */
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(NAMES_LINK, 1, 5, "");
    memset(m.name, 'a', sizeof(m.name)); /* no end */
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(NAMES_LINK, 2, 5, "name");
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(9, 1, 5, "name");
    assert_true(names_serve(&table[0], 1, &m, now) && m.result == NAMES_WRONG);
    m = request(NAMES_LINK, 1, 5, "name");
    m.magic++;
    assert_false(names_serve(&table[0], 1, &m, now));
    m = request(NAMES_LINK, 1, 5, "name");
    m.reply_port = 16;
    assert_false(names_serve(&table[0], 1, &m, now));
    assert_int_equal(names_count(&table[0]), 0);
    assert_int_equal(table[0].refused, 8);
}

/* What the table should be, name by name. */
#define KNOWN 150
static struct {
    bool on;
    unsigned node;
    uint64_t secret, until;
} model[KNOWN];

static unsigned modelled(unsigned node)
{
    unsigned n = 0;
    for (unsigned i = 0; i < KNOWN; i++)
        n += model[i].on && model[i].node == node && model[i].until > now;
    return n;
}

static void random_messages_do_what_a_list_of_names_says(void **state)
{
    (void)state;
    const char *many = getenv("STEPS");
    unsigned long rounds = many ? strtoul(many, NULL, 10) : 10000;
    unsigned long of[5] = { 0 };
    memset(model, 0, sizeof(model));
    srand(36);
    for (unsigned long round = 0; round < rounds; round++) {
        unsigned k = (unsigned)rand() % KNOWN, node = k < 140 && rand() % 8 ? 1 : (unsigned)rand() % CLUSTERS;
        enum names_op op = (enum names_op)(1 + rand() % 3);
        uint64_t secret = (uint64_t)(rand() % 2);
        char name[NAMES_MOST + 1];
        snprintf(name, sizeof(name), "%0*u", 1 + (int)(k % 60), k);
        now += rand() % 3000 ? 100000 : LEASE / 2;
        bool on = model[k].on && model[k].until > now, mine = on && model[k].node == node && model[k].secret == secret;
        enum names_result expected = op == NAMES_LOOKUP       ? on ? NAMES_DONE : NAMES_UNKNOWN
                                     : op == NAMES_UNLINK     ? mine ? NAMES_DONE : NAMES_UNKNOWN
                                     : on                     ? mine ? NAMES_DONE : NAMES_TAKEN
                                     : modelled(node) < SHARE ? NAMES_DONE
                                                              : NAMES_FULL;
        if (!(rand() % 16)) { /* rubbish changes nothing, whatever it says */
            struct names_message m;
            for (unsigned i = 0; i < sizeof(m); i++)
                ((unsigned char *)&m)[i] = (unsigned char)rand();
            m.magic = rand() % 2 ? m.magic : NAMES_MAGIC;
            names_serve(&table[0], (unsigned)rand() % 300, &m, now);
        }
        assert_int_equal(say(op, node, secret, name), expected);
        of[expected]++;
        if (op == NAMES_UNLINK && mine)
            model[k].on = false;
        if (op == NAMES_LINK && expected == NAMES_DONE) {
            model[k].on = true;
            model[k].node = node;
            model[k].secret = secret;
            model[k].until = now + LEASE;
        }
    }
    for (unsigned r = NAMES_DONE; r <= NAMES_FULL; r++)
        assert_true(of[r] > 0);
}

/* Clients and three servers */

static void begins_again(unsigned s)
{
    down[s] = false;
    names_begin(&table[s], CLUSTERS, 7, now, false);
}

static void all_beat(uint64_t for_ns)
{
    for (uint64_t until = now + for_ns; now < until; now += LEASE / 4)
        for (unsigned i = 0; i < 3; i++)
            name_client_beat(&client[i]);
}

static void a_name_is_found_with_any_one_server_dead(void **state)
{
    (void)state;
    for (unsigned dead = 0; dead < NAMES_SERVERS; dead++) {
        setup(NULL);
        assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
        down[dead] = true;
        assert_int_equal(look_up(&client[1], "disk"), 1);
        assert_int_equal(name_client_link(&client[1], "disk"), NAME_TAKEN);
        assert_int_equal(name_client_link(&client[2], "net"), NAME_OK);
        begins_again(dead);
        assert_int_equal(look_up(&client[2], "disk"), 1);
        all_beat(NAMES_JOIN_NS + LEASE);
        down[(dead + 1) % NAMES_SERVERS] = true; /* the next one may die now */
        name_client_forget(&client[1], "disk");
        name_client_forget(&client[1], "net");
        assert_int_equal(look_up(&client[1], "disk"), 1);
        assert_int_equal(look_up(&client[1], "net"), 3);
    }
}

static void two_dead_servers_are_an_error_until_one_is_back(void **state)
{
    (void)state;
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
    down[0] = down[2] = true;
    assert_int_equal(look_up(&client[1], "disk"), NAME_NOBODY);
    assert_int_equal(name_client_link(&client[1], "net"), NAME_NOBODY);
    assert_int_equal(name_client_beat(&client[0]), NAME_NOBODY);
    begins_again(0);
    assert_int_equal(look_up(&client[1], "disk"), NAME_NOBODY); /* it has to learn first */
    all_beat(NAMES_JOIN_NS);
    assert_int_equal(look_up(&client[1], "disk"), 1);
    assert_int_equal(name_client_link(&client[1], "net"), NAME_OK);
    assert_int_equal(name_client_beat(&client[0]), NAME_OK);
}

static void a_single_server_that_begins_again_learns_its_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        client[i].servers = 1;
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
    begins_again(0);
    assert_int_equal(name_client_link(&client[1], "disk"), NAME_NOBODY); /* it might be taken */
    all_beat(NAMES_JOIN_NS);
    assert_int_equal(name_client_link(&client[1], "disk"), NAME_TAKEN);
    assert_int_equal(look_up(&client[1], "disk"), 1);
}

static void links_are_counted_and_answers_are_kept_for_half_a_lease(void **state)
{
    (void)state;
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
    assert_int_equal(look_up(&client[1], "disk"), 1);
    assert_int_equal(name_client_unlink(&client[0], "disk"), NAME_OK);
    assert_int_equal(look_up(&client[2], "disk"), 1);
    assert_int_equal(name_client_unlink(&client[0], "disk"), NAME_OK);
    assert_int_equal(name_client_unlink(&client[0], "disk"), NAME_UNKNOWN);
    uint64_t before = now;
    assert_int_equal(look_up(&client[1], "disk"), 1);
    assert_int_equal(now, before); /* nobody was asked */
    now += LEASE / 2;
    assert_int_equal(look_up(&client[1], "disk"), NAME_UNKNOWN);
    assert_int_equal(look_up(&client[0], ""), NAME_WRONG);
    assert_int_equal(name_client_link(&client[0], NULL), NAME_WRONG);
    char name[8];
    for (unsigned i = 0; i <= NAME_OWN; i++) {
        snprintf(name, sizeof(name), "%u", i);
        assert_int_equal(name_client_link(&client[0], name), i < NAME_OWN ? NAME_OK : NAME_FULL);
    }
}

/* Nor is it waited for for long where the others agree. */
static void a_lookup_passes_over_who_is_late(void **state)
{
    (void)state;
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_OK);
    for (unsigned s = 0; s < NAMES_SERVERS; s++) {
        down[s] = true;
        waited = 0;
        name_client_forget(&client[1], "disk");
        assert_int_equal(look_up(&client[1], "disk"), 1);
        assert_int_equal(look_up(&client[1], "net"), NAME_UNKNOWN);
        assert_int_equal(waited, 0);
        down[s] = false;
    }
    slow[0] = slow[2] = true; /* they answer all the same */
    name_client_forget(&client[1], "disk");
    assert_int_equal(look_up(&client[1], "disk"), 1);
    assert_int_equal(look_up(&client[1], "net"), NAME_UNKNOWN);
}

/* A link that no majority grants leaves nothing behind. */
static void a_link_that_fails_is_taken_back(void **state)
{
    (void)state;
    client[0].servers = 2; /* a majority of two is both */
    assert_int_equal(name_client_link(&client[1], "disk"), NAME_OK);
    struct names_message m = request(NAMES_UNLINK, 2, 101, "disk");
    assert_true(names_serve(&table[0], 2, &m, now)); /* the first server has lost it */
    assert_int_equal(name_client_link(&client[0], "disk"), NAME_TAKEN);
    assert_int_equal(say(NAMES_LOOKUP, 3, 0, "disk"), NAMES_UNKNOWN);
    assert_int_equal(name_client_beat(&client[1]), NAME_OK); /* and gets it back */
    assert_int_equal(say(NAMES_LOOKUP, 3, 0, "disk"), NAMES_DONE);
}

static unsigned owners_of(const char *name)
{
    uint64_t padded[NAMES_WORDS] = { 0 };
    unsigned n = 0;
    memcpy(padded, name, strlen(name));
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < NAME_OWN; k++)
            n += client[i].own[k].links && !memcmp(client[i].own[k].name, padded, sizeof(padded));
    return n;
}

static bool counts(unsigned s) { return !down[s] && now >= table[s].joined_at; }

static void at_random_one_dead_server_loses_no_name_and_no_name_has_two_owners(void **state)
{
    (void)state;
    static const char *const names[] = { "a", "bb", "ccc", "a name of more than one word" };
    unsigned deaths = 0, found = 0;
    srand(3);
    for (unsigned round = 0; round < 10000; round++) {
        unsigned i = (unsigned)rand() % 3;
        const char *name = names[rand() % 4];
        bool all = counts(0) && counts(1) && counts(2);
        switch (rand() % 8) {
        case 0:
        case 1: name_client_link(&client[i], name); break;
        case 2: name_client_unlink(&client[i], name); break;
        case 3:
            if (all && !(rand() % 10)) {
                down[rand() % NAMES_SERVERS] = true;
                deaths++;
            }
            break;
        case 4:
            for (unsigned s = 0; s < NAMES_SERVERS; s++)
                if (down[s])
                    begins_again(s);
            break;
        default: {
            name_client_forget(&client[i], name);
            int node = look_up(&client[i], name);
            assert_true(node != NAME_NOBODY); /* two servers count */
            unsigned owners = owners_of(name);
            assert_true(owners <= 1);
            assert_int_equal(node >= 1, owners); /* who owns it is found */
            found += node >= 1;
        }
        }
        all_beat(LEASE / 4);
    }
    assert_true(deaths > 50 && found > 1000);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_is_its_clients_until_it_is_unlinked),
        TEST(the_names_of_a_dead_client_vanish_with_their_lease),
        TEST(a_cluster_has_its_share_and_takes_no_other),
        TEST(what_is_no_name_or_names_another_cluster_is_refused),
        TEST(random_messages_do_what_a_list_of_names_says),
        TEST(a_name_is_found_with_any_one_server_dead),
        TEST(a_lookup_passes_over_who_is_late),
        TEST(two_dead_servers_are_an_error_until_one_is_back),
        TEST(a_single_server_that_begins_again_learns_its_names),
        TEST(links_are_counted_and_answers_are_kept_for_half_a_lease),
        TEST(a_link_that_fails_is_taken_back),
        TEST(at_random_one_dead_server_loses_no_name_and_no_name_has_two_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
