/* SPDX-License-Identifier: MIT */
/* What a guest's kernels on several cores say to each other: calls that are done, late, lost, and of who is no member;
 * and which page stays for whom, by the age of who asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errors.h>
#include <string.h>
#include <svm/guest.h>
#include <svm/state.h>
#include <sys/mman.h>

#define ME    2u
#define OTHER 7u
#define QUIET 40u /* no member */
#define LOWER 1u  /* than ME */

unsigned scc_core = ME;
bool host_irq_on = true;
struct svm_stats svm_count;

static struct mail letter;         /* the last one that was sent */
static const struct mail *arrives; /* the other core takes it while this one waits */
static unsigned served;
static struct {
    unsigned from;
    u32 what, a, b;
} got;

int mail_request(unsigned to, const void *data, unsigned bytes)
{
    assert_int_equal(to, OTHER);
    assert_int_equal(bytes, SVM_KEEP_BYTES);
    letter = (struct mail){ .from = ME, .bytes = (u8)bytes };
    memcpy(letter.data, data, bytes);
    return 0;
}

static void serve_there(const struct mail *m)
{
    struct svm_request want;
    scc_core = OTHER;
    assert_false(svm_keep_serve(m, &want));
    scc_core = ME;
}

int svm_wait_close(struct svm_wait *w)
{
    if (arrives && !w->looks)
        serve_there(arrives);
    return ++w->looks < 3 ? 0 : -ETIMEDOUT;
}

bool svm_is_member(unsigned core) { return core != QUIET; }
void svm_choose(u64 cores) {}
void svm_program_begins(void) {}
void *svm_alloc(size_t bytes, enum svm_model model) { return NULL; }
int svm_own(unsigned page) { return 0; }
void svm_look_again(void) {}
bool svm_someone_waits(void) { return false; }

static unsigned lost = ~0u;
static void lose(unsigned page) { lost = page; }
static void called(unsigned from, u32 what, u32 a, u32 b)
{
    got.from = from;
    got.what = what;
    got.a = a;
    got.b = b;
    served++;
}
static const struct svm_guest guest = { .lose = lose, .called = called };

static int group_setup(void **unused)
{
    svm_guest_choose(1ull << ME | 1ull << OTHER, &guest);
    return mmap((void *)SCC_SHARED, 1u << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                -1, 0) == MAP_FAILED;
}

static int setup(void **unused)
{
    served = svm_count.refused = 0;
    arrives = NULL;
    return 0;
}

static void a_call_returns_when_it_is_done(void **unused)
{
    arrives = &letter;
    for (u32 i = 1; i <= 3; i++) {
        assert_int_equal(svm_guest_call(OTHER, i, 0x1000, 17), 0);
        assert_int_equal(served, i);
        assert_true(got.from == ME && got.what == i && got.a == 0x1000 && got.b == 17);
    }
}

static void one_that_is_done_late_does_not_end_the_next_one(void **unused)
{
    assert_int_equal(svm_guest_call(OTHER, 1, 0, 0), -ETIMEDOUT);
    struct mail late = letter;
    arrives = &late;
    assert_int_equal(svm_guest_call(OTHER, 2, 0, 0), -ETIMEDOUT);
    assert_int_equal(served, 1);
    arrives = &letter;
    assert_int_equal(svm_guest_call(OTHER, 2, 0, 0), 0);
}

/* What this core's kernel of a life before has asked for may have the next call's number. */
static void one_of_a_life_before_is_no_other_one(void **unused)
{
    u32 *done = svm_keep_done(OTHER, ME);
    arrives = &letter;
    assert_int_equal(svm_guest_call(OTHER, 1, 0, 0), 0);
    ++*done;
    arrives = NULL;
    assert_int_equal(svm_guest_call(OTHER, 1, 0, 0), -ETIMEDOUT);
}

static void who_is_no_member_is_refused_and_nothing_is_done(void **unused)
{
    svm_guest_call(OTHER, 1, 0, 0);
    letter.from = QUIET;
    serve_there(&letter);
    assert_int_equal(served, 0);
    assert_int_equal(svm_count.refused, 1);
    assert_int_equal(*svm_keep_done(OTHER, QUIET), 0);
}

/* --- who is older --- */

/* A request for page `page` comes in; what its sender's age is, this core knows from now on. */
static void asks(unsigned from, u32 age, unsigned page)
{
    struct {
        struct svm_request is;
        u32 age;
    } r = { { SVM_WANT, page, 5 }, age };
    struct mail m = { .from = (u8)from, .bytes = SVM_KEEP_BYTES };
    struct svm_request want;
    memcpy(m.data, &r, sizeof(r));
    assert_true(svm_keep_serve(&m, &want));
    assert_true(want.ask == SVM_WANT && want.page == page && want.word == 5);
}

/* The age of this core's instruction, as it tells others. */
static u32 age(void)
{
    u32 words[4];
    assert_int_equal(svm_keep_request(OTHER, SVM_WANT, 1, 0), 0);
    memcpy(words, letter.data, sizeof(words));
    return words[3];
}

static u32 begin(void)
{
    svm_keep_none();
    svm_keep_begin();
    return age();
}

static void an_instruction_has_one_age_and_the_next_one_a_later(void **unused)
{
    u32 first = begin();
    svm_keep_begin();
    assert_int_equal(age(), first);
    assert_int_equal(begin(), first + 1);
    asks(OTHER, first + 100, 1); /* this core counts on from who has asked it */
    assert_int_equal(age(), first + 1);
    assert_int_equal(begin(), first + 101);
    asks(OTHER, first, 1);
    assert_int_equal(begin(), first + 102);
}

static void a_page_stays_for_the_younger_and_goes_to_the_older_while_its_core_waits(void **unused)
{
    u32 mine = begin();
    svm_keep_came(3);
    assert_false(svm_keep_stays(4, OTHER, true)); /* it came for nothing */
    asks(OTHER, mine + 1, 3);
    assert_true(svm_keep_stays(3, OTHER, true));
    asks(OTHER, mine - 1, 3);
    assert_false(svm_keep_stays(3, OTHER, true));
    assert_true(svm_keep_stays(3, OTHER, false)); /* nothing is lacking: it retires */
    asks(OTHER, mine, 3);
    asks(LOWER, mine, 3);
    assert_true(svm_keep_stays(3, OTHER, true));
    assert_false(svm_keep_stays(3, LOWER, true));
    svm_keep_none();
    assert_false(svm_keep_stays(3, OTHER, false));
}

static void ages_go_round(void **unused)
{
    u32 mine = begin();
    asks(OTHER, mine + 0x7fffff00u, 3); /* by steps, each of which is later */
    asks(OTHER, mine + 0xfffffe00u, 3);
    asks(OTHER, 0xfffffffeu, 3);
    assert_int_equal(begin(), 0xffffffffu);
    u32 next = begin();
    assert_int_equal(next, 1); /* 0 is no age */
    svm_keep_came(3);
    asks(OTHER, 0xffffffffu, 3);
    assert_false(svm_keep_stays(3, OTHER, true));
    asks(OTHER, 2, 3);
    assert_true(svm_keep_stays(3, OTHER, true));
    assert_int_equal(begin(), 3); /* who is older does not set the count back */
}

static void what_goes_is_kept_no_more_and_the_guest_loses_it(void **unused)
{
    begin();
    svm_keep_came(3);
    svm_keep_came(4);
    svm_keep_goes(3);
    assert_int_equal(lost, 3);
    assert_false(svm_keep_stays(3, OTHER, false));
    assert_true(svm_keep_stays(4, OTHER, false));
}

/* Eight are kept; of more the first is for what is done. */
static void the_first_of_many_is_kept_no_more(void **unused)
{
    begin();
    for (unsigned page = 10; page < 19; page++)
        svm_keep_came(page);
    assert_false(svm_keep_stays(10, OTHER, false));
    for (unsigned page = 11; page < 19; page++)
        assert_true(svm_keep_stays(page, OTHER, false));
}

/* Of many the oldest is the next to be kept no more, also after one has gone from between. */
static void those_that_came_last_stay(void **unused)
{
    svm_keep_none();
    begin();
    for (unsigned page = 0; page < 11; page++) /* 3 to 10 are kept */
        svm_keep_came(page);
    svm_keep_goes(2);
    svm_keep_goes(5);
    svm_keep_came(11);
    svm_keep_came(12);
    assert_false(svm_keep_stays(3, OTHER, false) | svm_keep_stays(5, OTHER, false));
    assert_true(svm_keep_stays(4, OTHER, false));
    svm_keep_came(13);
    assert_false(svm_keep_stays(4, OTHER, false));
    for (unsigned page = 6; page < 14; page++)
        assert_true(svm_keep_stays(page, OTHER, false));
    svm_keep_none();
    for (unsigned page = 0; page < 8; page++)
        svm_keep_came(page);
    svm_keep_came(8);
    assert_false(svm_keep_stays(0, OTHER, false));
}

static void of_those_who_wait_the_oldest_is_next(void **unused)
{
    u32 mine = begin();
    asks(LOWER, mine + 3, 1);
    asks(OTHER, mine + 1, 1);
    asks(47, mine + 2, 1);
    u64 left = 1ull << LOWER | 1ull << OTHER | 1ull << 47;
    assert_int_equal(svm_keep_next(&left), OTHER);
    assert_int_equal(svm_keep_next(&left), 47);
    assert_int_equal(left, 1ull << LOWER);
    assert_int_equal(svm_keep_next(&left), LOWER);
    assert_int_equal(left, 0);
}

static void what_is_no_request_is_counted_and_changes_nothing(void **unused)
{
    struct mail m = { .from = OTHER, .bytes = SVM_KEEP_BYTES };
    struct svm_request want;
    u32 mine = begin();
    for (u32 ask = 0; ask < SVM_CALL; ask += ask == SVM_PING ? 2 : 1) { /* all but SVM_WANT */
        u32 words[4] = { ask, 1, 2, mine + 1000 };
        memcpy(m.data, words, sizeof(words));
        assert_false(svm_keep_serve(&m, &want));
    }
    assert_int_equal(svm_count.refused, SVM_CALL - 1);
    assert_int_equal(served, 0);
    assert_int_equal(begin(), mine + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_call_returns_when_it_is_done, setup),
        cmocka_unit_test_setup(one_that_is_done_late_does_not_end_the_next_one, setup),
        cmocka_unit_test_setup(one_of_a_life_before_is_no_other_one, setup),
        cmocka_unit_test_setup(who_is_no_member_is_refused_and_nothing_is_done, setup),
        cmocka_unit_test_setup(an_instruction_has_one_age_and_the_next_one_a_later, setup),
        cmocka_unit_test_setup(a_page_stays_for_the_younger_and_goes_to_the_older_while_its_core_waits, setup),
        cmocka_unit_test_setup(ages_go_round, setup),
        cmocka_unit_test_setup(what_goes_is_kept_no_more_and_the_guest_loses_it, setup),
        cmocka_unit_test_setup(the_first_of_many_is_kept_no_more, setup),
        cmocka_unit_test_setup(those_that_came_last_stay, setup),
        cmocka_unit_test_setup(of_those_who_wait_the_oldest_is_next, setup),
        cmocka_unit_test_setup(what_is_no_request_is_counted_and_changes_nothing, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
