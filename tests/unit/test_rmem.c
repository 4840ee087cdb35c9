/* SPDX-License-Identifier: MIT */
/* test_rmem.c - a client of a memory server, whose pages are the server's own; answers are lost, and pages with them or
 * not. The test is the way between them: it holds one page of each server that was sent and not read. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <amalgam/clusters.h>
#include <nanvix/runtime/mm/stub.h>

#include "ask.h"
#include "memory/pages.h"

#define PAGES 16
#define NODE  1

static struct pages pages;
static struct page_owner owner[PAGES];
static unsigned char memory[PAGES * MEMORY_PAGE];
/* Two servers, which have the same pages; of each the page that was sent and not read. */
static struct way {
    unsigned char unread[MEMORY_PAGE];
    bool has_unread;
} ways[2];
static struct way *allowed;
static void *reads_to;
static enum { NOTHING, ANSWER, QUESTION } lose, lose_again; /* once; and once behind that */
static bool dies;                                           /* the server, behind that */
static bool held; /* the place for a page, by another process of the cluster */
static uint64_t now = 1, held_until;
static unsigned slept, parts, allocated, silent; /* `silent`: so many questions are lost */
static unsigned refused, tried; /* so many tries of each part of a page find no room; those of this part */
static int error;               /* what errno is */
static uint64_t server_life;

int knode_get_num(void) { return NODE; }
int ask_begin(void) { return 0; }
uint64_t ask_random(void) { return 77; }
int nanvix_answer(int result)
{
    error = -result;
    return -1;
}
void nanvix_patience(uint64_t ns) { (void)ns; }
void nanvix_lock_take(uint32_t *word) { assert_int_equal((*word)++, 0); }
static const struct rmem_stats *callers; /* not NULL: memory that nobody writes under the lock */
void nanvix_lock_drop(uint32_t *word)
{
    assert_true(!callers || callers->nreads == UINT_MAX);
    *word = 0;
}
uint64_t amalgam_clock(void) { return now; }
/* Somebody else may read the page in the meantime. */
int64_t amalgam_sleep_until(uint64_t deadline)
{
    assert_true(deadline > now && deadline - now < 2000000);
    now = deadline;
    held &= now < held_until;
    slept++;
    return 0;
}

unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned port, unsigned most)
{
    (void)name, (void)usual;
    assert_true(most >= 2);
    s[0] = (struct ask_server){ .node = 0, .port = port };
    s[1] = (struct ask_server){ .node = 1, .port = port };
    return 2;
}

static void begin_anew(void) { pages_begin(&pages, PAGES, memory, owner, 1, ++server_life); }

bool ask(struct ask_server *s, void *message, size_t size)
{
    struct memory_message *m = message;
    const unsigned char *data = NULL;
    struct way *w = &ways[s->node];
    assert_int_equal(size, sizeof(*m));
    parts += m->op == MEMORY_READ_PART;
    int lost = silent ? QUESTION : lose;
    silent -= silent > 0;
    lose = lose_again;
    lose_again = NOTHING;
    s->rests_until = lost ? now + 250000000 : 0;
    if (lost == QUESTION)
        return false;
    int answer = pages_serve(&pages, NODE, m, 1, &data);
    if (answer == 2) {
        m->result = w->has_unread || held ? MEMORY_AGAIN : MEMORY_DONE;
        m->port = 9;
        if (m->result == MEMORY_DONE) {
            memcpy(w->unread, data, MEMORY_PAGE);
            w->has_unread = true;
        }
    }
    assert_int_not_equal(answer, 0);
    if (dies)
        begin_anew();
    dies = false;
    return lost != ANSWER;
}

bool ask_in_place(struct ask_server *s, void *room, uint64_t ns)
{
    assert_int_equal(ns, ASK_PATIENCE_NS);
    return ask(s, room, ASK_MESSAGE);
}

bool ask_send(struct ask_server *s, void *message, size_t size)
{
    const unsigned char *data = NULL;
    (void)s, (void)size;
    if (tried < refused) {
        tried++;
        return false;
    }
    tried = 0;
    assert_int_equal(pages_serve(&pages, NODE, message, 1, &data), 0);
    return true;
}

/* A portal as the kernel's: a permission and a read stay until a page has come. */
int64_t amalgam_portal_create(unsigned local, unsigned port) { return local == NODE && port < 13 ? 3 : -AMALGAM_EIO; }

int64_t amalgam_portal_allow(unsigned id, unsigned remote, unsigned port)
{
    assert_true(id == 3 && remote < 2 && port == 9);
    if (allowed)
        return -AMALGAM_EBUSY;
    allowed = &ways[remote];
    return 0;
}

int64_t amalgam_portal_aread(unsigned id, void *data, size_t n)
{
    assert_true(id == 3 && n == MEMORY_PAGE && allowed);
    if (reads_to)
        return -AMALGAM_EBUSY;
    reads_to = data;
    return 0;
}

int64_t amalgam_portal_wait(unsigned id)
{
    assert_true(id == 3 && reads_to);
    if (!allowed->has_unread) {
        now += 100000000;
        return -AMALGAM_EINTR; /* the patience is over */
    }
    memcpy(reads_to, allowed->unread, MEMORY_PAGE);
    allowed->has_unread = false;
    allowed = NULL;
    reads_to = NULL;
    return 0;
}

static char buffer[MEMORY_PAGE];

/* Returns a page of this server. */
static rpage_t page_at(unsigned server, int byte)
{
    rpage_t page;
    do {
        page = nanvix_rmem_alloc();
        allocated++;
        assert_true(page != RMEM_NULL);
    } while (page >> RMEM_SERVER_SHIFT != server);
    memset(buffer, byte, sizeof(buffer));
    assert_int_equal(nanvix_rmem_write(page, buffer), RMEM_BLOCK_SIZE);
    return page;
}

static rpage_t page_of(int byte) { return page_at(0, byte); }

static void reads(rpage_t page, int byte)
{
    memset(buffer, 0xee, sizeof(buffer));
    assert_int_equal(nanvix_rmem_read(page, buffer), RMEM_BLOCK_SIZE);
    assert_true(buffer[0] == byte && buffer[MEMORY_PAGE - 1] == byte);
}

static int setup(void **state)
{
    (void)state;
    pages_begin(&pages, PAGES, memory, owner, 1, ++server_life);
    held = false;
    held_until = UINT64_MAX;
    memset(ways, 0, sizeof(ways));
    /* What a test has read into goes on, as the library knows. */
    parts = slept = allocated = silent = refused = tried = 0;
    error = 0;
    return 0;
}

/* It may be remote, and who brings it takes the lock. */
static void memory_of_the_caller_is_written_without_the_lock(void **state)
{
    (void)state;
    struct rmem_stats counted = { .nreads = UINT_MAX };
    callers = &counted;
    int result = nanvix_rmem_stats(&counted);
    callers = NULL;
    assert_int_equal(result, 0);
    assert_true(counted.nreads < UINT_MAX);
}

static void what_was_written_is_read_and_counted(void **state)
{
    (void)state;
    struct rmem_stats before, after;
    assert_int_equal(nanvix_rmem_stats(&before), 0);
    rpage_t page = page_of(5);
    reads(page, 5);
    assert_int_equal(nanvix_rmem_free(page), 0);
    assert_int_equal(nanvix_rmem_free(page), -EFAULT);
    assert_int_equal(nanvix_rmem_free(RMEM_NULL), -EINVAL);
    assert_int_equal(nanvix_rmem_read(page, buffer), 0);
    assert_int_equal(error, EFAULT);
    error = 0;
    assert_int_equal(nanvix_rmem_write(page, buffer), 0);
    assert_int_equal(error, EFAULT);
    assert_int_equal(nanvix_rmem_read(page, NULL), 0);
    assert_int_equal(error, EINVAL);
    assert_int_equal(nanvix_rmem_stats(&after), 0);
    assert_int_equal(after.nallocs - before.nallocs, allocated);
    assert_int_equal(after.nfrees - before.nfrees, 1);
    assert_int_equal(after.nreads - before.nreads, 1);
    assert_int_equal(after.nwrites - before.nwrites, 1);
}

static void a_part_of_a_page_that_finds_no_room_is_sent_again(void **state)
{
    (void)state;
    refused = 2;
    rpage_t page = page_of(5);
    reads(page, 5);
    refused = 3;
    assert_int_equal(nanvix_rmem_write(page, buffer), 0);
    assert_true(error == EIO && tried == 3);
}

static void a_page_whose_answer_was_lost_is_not_taken_for_another_one(void **state)
{
    (void)state;
    rpage_t one = page_of(1), two = page_of(2);
    lose = ANSWER;
    reads(one, 1);
    assert_int_equal(parts, MEMORY_PARTS);
    assert_true(ways[0].has_unread);
    reads(two, 2);
    reads(one, 1);
}

static void a_page_that_was_never_sent_is_not_waited_for(void **state)
{
    (void)state;
    rpage_t one = page_of(1), two = page_of(2);
    lose = QUESTION;
    reads(one, 1);
    parts = 0;
    held = true; /* so the server says that a page is unread, which is not this client's */
    reads(two, 2);
    assert_int_equal(parts, MEMORY_PARTS);
    assert_non_null(reads_to); /* the read goes on, into memory of the library's own */
    assert_ptr_not_equal(reads_to, buffer);
    held = false;
    reads(two, 2);
    reads(one, 1);
    assert_int_equal(parts, MEMORY_PARTS);
}

static void who_has_to_wait_for_another_process_asks_again(void **state)
{
    (void)state;
    rpage_t one = page_of(1);
    held = true;
    held_until = now + 15000000;
    reads(one, 1);
    assert_true(slept < 50 && !parts);
}

/* It has ended, and its page is where nobody reads. */
static void who_is_kept_from_its_page_for_good_reads_it_in_messages(void **state)
{
    (void)state;
    rpage_t one = page_of(1), two = page_of(2);
    held = true;
    uint64_t began = now;
    reads(one, 1);
    assert_true(now - began < 200000000);
    reads(two, 2);
    began = now;
    reads(one, 1);
    assert_true(now - began < 5000000); /* it has learned */
    assert_int_equal(parts, 3 * MEMORY_PARTS);
    held = false;
    reads(two, 2);
    assert_int_equal(parts, 3 * MEMORY_PARTS);
}

/* The first test, since a process begins once. */
static void a_page_that_was_sent_to_a_former_life_is_taken_first(void **state)
{
    (void)state;
    rpage_t one = page_of(1);
    memset(ways[0].unread, 0xff, MEMORY_PAGE);
    ways[0].has_unread = true;
    reads(one, 1);
    assert_int_equal(parts, 0);
}

static void a_page_of_one_server_is_not_taken_for_that_of_another_one(void **state)
{
    (void)state;
    rpage_t one = page_at(0, 1), other = page_at(1, 2);
    lose = QUESTION;
    reads(one, 1);
    held = true;
    reads(one, 1); /* a read of the first server's goes on */
    held = false;
    reads(other, 2);
    lose = QUESTION;
    reads(one, 1);
    held = true;
    reads(one, 1);
    held = false;
    memset(ways[0].unread, 0xff, MEMORY_PAGE);
    ways[0].has_unread = true; /* it was late */
    reads(other, 2);
    reads(one, 1);
}

static void a_page_is_allocated_once_though_its_answer_was_lost(void **state)
{
    (void)state;
    lose = ANSWER;
    assert_true(nanvix_rmem_alloc() != RMEM_NULL);
    for (unsigned i = 1; i < PAGES; i++)
        assert_true(nanvix_rmem_alloc() != RMEM_NULL);
    assert_true(nanvix_rmem_alloc() == RMEM_NULL);
}

static void what_a_dead_server_had_is_not_what_it_gives_later(void **state)
{
    (void)state;
    rpage_t old = page_of(1), changed = page_of(2);
    begin_anew();
    assert_int_equal(nanvix_rmem_read(old, buffer), 0); /* before this process has heard of the new life */
    assert_int_equal(error, EIO);
    error = 0;
    rpage_t page = page_at(0, 7), other = page_at(0, 8);
    unsigned numbers = RMEM_NUM_BLOCKS - 1;
    assert_true(page != old && other != changed);
    assert_true((page & numbers) == (old & numbers) && (other & numbers) == (changed & numbers));
    assert_int_equal(nanvix_rmem_read(old, buffer), 0);
    assert_int_equal(error, EIO);
    error = 0;
    memset(buffer, 3, sizeof(buffer));
    assert_int_equal(nanvix_rmem_write(changed, buffer), 0);
    assert_int_equal(error, EIO);
    assert_int_equal(nanvix_rmem_free(changed), -EFAULT);
    reads(page, 7);
    reads(other, 8);
}

/* It says that the page is lost with the first answer of its next life. */
static void who_hears_of_a_servers_death_has_lost_its_pages_there(void **state)
{
    (void)state;
    rpage_t one = page_of(1), two = page_of(2);
    begin_anew();
    assert_int_equal(nanvix_rmem_free(two), -EFAULT);
    lose = NOTHING;
    silent = 100; /* nobody is asked */
    assert_int_equal(nanvix_rmem_read(one, buffer), 0);
    assert_true(error == EIO && silent == 100);
}

/* One error for all would leave the others for what a program finds where it believes that its data are. */
static void each_page_that_was_lost_is_an_error_whenever_it_is_named(void **state)
{
    (void)state;
    rpage_t lost[3] = { page_of(1), page_of(2), page_of(3) };
    begin_anew();
    rpage_t page = page_at(0, 7); /* a call that names none is no error */
    for (unsigned i = 0; i < 4 * 3; i++) {
        error = 0;
        assert_int_equal(i / 3 % 2 ? nanvix_rmem_write(lost[i % 3], buffer) : nanvix_rmem_read(lost[i % 3], buffer), 0);
        assert_int_equal(error, EIO);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(nanvix_rmem_free(lost[i]), -EFAULT); /* there is nothing to give back */
    reads(page, 7);
}

static void a_server_that_does_not_answer_is_an_error_and_not_a_loss(void **state)
{
    (void)state;
    rpage_t one = page_of(1);
    silent = 2;
    assert_int_equal(nanvix_rmem_read(one, buffer), 0);
    assert_true(error == EIO && !silent);
    error = 0;
    silent = 1;
    memset(buffer, 4, sizeof(buffer));
    assert_int_equal(nanvix_rmem_write(one, buffer), 0);
    assert_int_equal(error, EIO);
    assert_int_equal(nanvix_rmem_write(one, buffer), RMEM_BLOCK_SIZE);
    reads(one, 4);
}

/* Also if the answer was lost that would have said so. */
static void a_page_that_was_given_unheard_is_not_one_of_before(void **state)
{
    (void)state;
    rpage_t old = page_of(1);
    begin_anew();
    struct memory_message m = { .magic = MEMORY_MAGIC, .op = MEMORY_ALLOC, .client = ask_random() };
    const unsigned char *data;
    while (pages_serve(&pages, NODE, &m, 1, &data) && m.page != (old & (RMEM_NUM_BLOCKS - 1)))
        m.client = ask_random();
    assert_int_equal(nanvix_rmem_read(old, buffer), 0);
    assert_int_equal(nanvix_rmem_write(old, buffer), 0);
}

/* One that it had given back before is no loss: there is no number that must not come again. */
static void lives_in_which_it_had_nothing_cost_no_numbers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 2 * 2048; i++) {
        rpage_t page = nanvix_rmem_alloc();
        assert_true(page != RMEM_NULL);
        assert_int_equal(nanvix_rmem_free(page), 0);
        begin_anew();
    }
}

/* Also of a page of which it is not known whether it was given back: the server says how many there are. */
static void a_free_that_was_not_answered_costs_no_number(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 2 * 2048; i++) {
        rpage_t page = nanvix_rmem_alloc();
        assert_true(page != RMEM_NULL);
        lose = i % 2 ? ANSWER : QUESTION;
        lose_again = i % 4 < 2 ? ANSWER : QUESTION;
        assert_int_equal(nanvix_rmem_free(page), -EIO);
        assert_int_equal(nanvix_rmem_free(page), i % 4 == 2 ? 0 : -EFAULT);
        begin_anew();
    }
}

/* Its other pages there are still known to be lost with the server. */
static void a_page_that_is_freed_twice_is_counted_once(void **state)
{
    (void)state;
    rpage_t one = page_of(1), two = page_of(2);
    for (unsigned i = 0; i < 3; i++)
        nanvix_rmem_free(one);
    begin_anew();
    rpage_t page = page_of(7);
    assert_true(page != one && page != two);
    assert_int_equal(nanvix_rmem_read(two, buffer), 0);
    assert_int_equal(error, EIO);
}

static void a_page_is_freed_though_its_answer_was_lost(void **state)
{
    (void)state;
    rpage_t page = page_of(1);
    lose = ANSWER;
    assert_int_equal(nanvix_rmem_free(page), 0);
    page = page_of(1);
    lose = QUESTION;
    assert_int_equal(nanvix_rmem_free(page), 0);
    assert_int_equal(nanvix_rmem_free(page), -EFAULT);
    assert_int_equal(pages.has[NODE], allocated - 2);
}

/* Also if the server has died since, so that it knows nothing of this process when it is asked again. */
static void a_page_is_freed_whose_server_has_died_before_it_said_so(void **state)
{
    (void)state;
    rpage_t page = page_of(1);
    lose = ANSWER;
    dies = true;
    assert_int_equal(nanvix_rmem_free(page), 0);
    assert_int_equal(nanvix_rmem_free(page), -EFAULT);
}

/* The last test: this process gets no page afterwards, and takes none from others. */
static void a_number_never_comes_again(void **state)
{
    (void)state;
    unsigned lives = 0;
    for (rpage_t page, last = 0; (page = nanvix_rmem_alloc()) != RMEM_NULL; last = page, lives++) {
        assert_true(page != last);
        begin_anew();
    }
    assert_true(lives > 2 * 2000 && lives <= 2 * 2048); /* of two servers */
    begin_anew();
    assert_true(nanvix_rmem_alloc() == RMEM_NULL);
    assert_int_equal(pages.has[NODE], 0);
}

/* Else a page that a program cannot name would be its own for ever. */
static void a_server_has_no_page_that_its_clients_cannot_name(void **state)
{
    (void)state;
    assert_true(PAGES_MOST < RMEM_NUM_BLOCKS);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_that_was_sent_to_a_former_life_is_taken_first),
        TEST(memory_of_the_caller_is_written_without_the_lock),
        TEST(what_was_written_is_read_and_counted),
        TEST(who_has_to_wait_for_another_process_asks_again),
        TEST(who_is_kept_from_its_page_for_good_reads_it_in_messages),
        TEST(a_page_of_one_server_is_not_taken_for_that_of_another_one),
        TEST(a_page_is_allocated_once_though_its_answer_was_lost),
        TEST(a_page_is_freed_though_its_answer_was_lost),
        TEST(a_page_is_freed_whose_server_has_died_before_it_said_so),
        TEST(a_part_of_a_page_that_finds_no_room_is_sent_again),
        TEST(a_page_whose_answer_was_lost_is_not_taken_for_another_one),
        TEST(a_page_that_was_never_sent_is_not_waited_for),
        TEST(a_server_has_no_page_that_its_clients_cannot_name),
        TEST(what_a_dead_server_had_is_not_what_it_gives_later),
        TEST(who_hears_of_a_servers_death_has_lost_its_pages_there),
        TEST(each_page_that_was_lost_is_an_error_whenever_it_is_named),
        TEST(a_server_that_does_not_answer_is_an_error_and_not_a_loss),
        TEST(a_page_that_was_given_unheard_is_not_one_of_before),
        TEST(lives_in_which_it_had_nothing_cost_no_numbers),
        TEST(a_free_that_was_not_answered_costs_no_number),
        TEST(a_page_that_is_freed_twice_is_counted_once),
        TEST(a_number_never_comes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
