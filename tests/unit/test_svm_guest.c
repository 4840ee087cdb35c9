/* SPDX-License-Identifier: MIT */
/* Calls between the kernels of a guest that is on several cores: done, late, lost, and of who is no member. */
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

unsigned scc_core = ME;
bool host_irq_on = true;
struct svm_stats svm_count;

static struct mail letter;         /* the last one that was sent */
static const struct mail *arrives; /* the other core takes it while this one waits */
static unsigned served, looks;
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

void svm_wait_begin(struct svm_wait *w, unsigned core, bool ask) { looks = 0; }
int svm_wait_close(struct svm_wait *w)
{
    if (arrives && !looks)
        serve_there(arrives);
    return ++looks < 3 ? 0 : -ETIMEDOUT;
}

bool svm_is_member(unsigned core) { return core != QUIET; }
void svm_choose(u64 cores) {}
void svm_program_begins(void) {}
void *svm_alloc(size_t bytes, enum svm_model model) { return NULL; }
int svm_own(unsigned page) { return 0; }
void svm_look_again(void) {}
bool svm_someone_waits(void) { return false; }

static void lose(unsigned page) {}
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_call_returns_when_it_is_done, setup),
        cmocka_unit_test_setup(one_that_is_done_late_does_not_end_the_next_one, setup),
        cmocka_unit_test_setup(one_of_a_life_before_is_no_other_one, setup),
        cmocka_unit_test_setup(who_is_no_member_is_refused_and_nothing_is_done, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
