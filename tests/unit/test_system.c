/* SPDX-License-Identifier: MIT */
/* Systems come and go and leave the memory as it was, whatever went wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dynamic.h"

static u64 before;

/* Take all free memory but the image's and so many pages; a list that give_back() frees. */
static paddr_t leave_free(unsigned pages, paddr_t image)
{
    paddr_t list = 0;
    assert_int_equal(frames_claim(image, sizeof(struct sample)), 0);
    while (frames_free_bytes() > pages * PAGE_SIZE) {
        paddr_t *page = page_alloc();
        *page = list;
        list = virt_to_phys(page);
    }
    frames_free(image, sizeof(struct sample) >> PAGE_SHIFT);
    return list;
}

static void give_back(paddr_t list)
{
    while (list) {
        paddr_t *page = phys_to_virt(list);
        list = *page;
        page_free(page);
    }
}

static int setup(void **state)
{
    dynamic_boot(2);
    before = frames_free_bytes();
    return 0;
}

static void a_system_comes_and_goes(void **state)
{
    for (unsigned round = 0; round < 3; round++) {
        paddr_t image = put_image();
        assert_int_equal(load(image, 0), 0);
        assert_ptr_equal(system_table, phys_to_virt(image));
        assert_int_equal(n_domains, 3);
        assert_int_equal(domains[0].state, DOMAIN_RUNNING); /* autostart */
        assert_int_equal(domains[1].state, DOMAIN_STOPPED);
        assert_int_equal(domain_start(&domains[1]), 0);
        assert_int_equal(cpus[1]->sched.frame.n, 4);
        assert_int_equal(cpus[1]->sched.group_of[1], 1);
        assert_int_equal(channel_ops->info(&domains[1], 0, CHANNEL_SIZE), 8192);
        assert_true(frames_free_bytes() < before - 3 * PAGE_SIZE);
        host_run(host_now + 50000000); /* five frames */
        assert_in_range(cpus[1]->sched.window_switches, 18, 22);
        assert_int_equal(unload(), 0);
        assert_null(system_table);
        assert_int_equal(n_domains, 0);
        assert_int_equal(frames_free_bytes(), before);
        assert_int_equal(cpus[1]->sched.frame.length, 0);
        assert_int_equal(cpus[1]->sched.group_of[1], 0);
        host_clear_out();
        console_write_human("no guest has the focus");
        assert_non_null(find(host_out[0], "no guest has the focus"));
        assert_int_equal(threads(), 1); /* the monitor's, nobody else's */
        u64 *left = phys_to_virt(image);
        for (unsigned i = 0; i < sizeof(struct sample) / 8; i++)
            assert_int_equal(left[i], 0);
    }
    assert_int_equal(creations, 9);
    assert_int_equal(destructions, 9);
}

static void what_is_no_image_is_refused_with_the_checks_sentence(void **state)
{
    paddr_t image = put_image();
    assert_int_equal(load(image + 8, 0), -EINVAL);
    assert_true(said("is not the address of one"));
    assert_int_equal(load(image, ~0ull), -EINVAL);
    assert_int_equal(load(image, 16 * MIB), -EBUSY);
    assert_true(said("is not all free memory"));
    assert_int_equal(load(PAGE_SIZE, 0), -EBUSY);
    assert_int_equal(load(image, 4096), -EBADMSG);
    assert_true(said("the image is shorter than it says"));
    struct sample *s = phys_to_virt(image);
    s->domain[0].kind = 77;
    assert_int_equal(load(image, 0), -EBADMSG);
    assert_true(said("the table's checksum is wrong"));
    sample_sign(s);
    assert_int_equal(load(image, 0), -EINVAL);
    assert_true(said("system: refused: "));
    sample_make(s);
    sample_sign(s);
    kind_refuses = "its kind says no";
    assert_int_equal(load(image, 0), -EINVAL);
    kind_refuses = NULL;
    assert_true(said("system: refused: its kind says no"));
    s->h.n_cores = 3;
    sample_sign(s);
    assert_int_equal(load(image, 0), -ENODEV);
    assert_true(said("wants 3 cores, this machine has 2"));
    s->h.image_size = ~0ull;
    assert_int_equal(load(image, 0), -EINVAL);
    s->h.magic++;
    assert_int_equal(load(image, 0), -EBADMSG);
    assert_true(said("magic number"));
    assert_int_equal(unload(), -ENOENT);
    assert_int_equal(frames_free_bytes(), before);
    assert_int_equal(creations, 0);
}

static void there_is_one_at_most(void **state)
{
    paddr_t image = put_image();
    assert_int_equal(load(image, 0), 0);
    paddr_t other = put_image();
    assert_int_equal(load(other, 0), -EEXIST);
    assert_true(said("sample is there already"));
    assert_int_equal(load(image, 0), -EEXIST);
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(unload(), 0);
    assert_int_equal(frames_free_bytes(), before);
}

/* Memory runs out at each step that takes some: all or nothing. */
static void without_memory_nothing_is_left(void **state)
{
    unsigned failures = 0;
    for (unsigned pages = 0;; pages++) {
        paddr_t image = put_image();
        paddr_t hog = leave_free(pages, image);
        u64 now = frames_free_bytes();
        int err = load(image, 0);
        if (!err)
            assert_int_equal(unload(), 0);
        else
            failures++;
        assert_null(system_table);
        assert_int_equal(frames_free_bytes(), now);
        give_back(hog);
        assert_int_equal(frames_free_bytes(), before);
        assert_int_equal(creations, destructions);
        if (!err)
            break;
        assert_int_equal(err, -ENOMEM);
    }
    assert_true(failures > 5);
}

static void a_domain_that_cannot_be_takes_the_others_with_it(void **state)
{
    create_error = 1; /* the second one's */
    assert_int_equal(load(put_image(), 0), -ENOMEM);
    assert_true(said("not all domains could be created"));
    assert_int_equal(frames_free_bytes(), before);
    create_error = -1;
    assert_int_equal(load(put_image(), 0), 0);
    unload();
}

/* It waits to restart one domain while another is being started: both find none any more. */
static void the_keeper_ends_with_its_system(void **state)
{
    paddr_t image = put_image();
    struct sample *s = phys_to_virt(image);
    s->domain[0].flags |= SYS_RESTART_ON_RESET;
    sample_sign(s);
    assert_int_equal(load(image, 0), 0);
    domain_end(&domains[0], END_RESET, "by port");
    host_run(host_now + 50000000);
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    unsigned lives = starts;
    assert_int_equal(unload(), 0);
    host_run(host_now + 300000000);
    assert_int_equal(starts, lives);
    assert_false(host_powered_off);
    assert_int_equal(frames_free_bytes(), before);
}

static void a_destroyed_system_does_not_switch_the_board_off(void **state)
{
    paddr_t image = put_image();
    struct sample *s = phys_to_virt(image);
    s->domain[0].flags |= SYS_POWER_BOARD;
    s->domain[1].flags |= SYS_POWER_BOARD | SYS_AUTOSTART;
    sample_sign(s);
    assert_int_equal(load(image, 0), 0);
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    host_settle();
    assert_int_equal(unload(), 0);
    host_run(host_now + 300000000);
    assert_false(host_powered_off);
}

static void the_event_trace_takes_no_memory_along(void **state)
{
    assert_int_equal(load(put_image(), 0), 0);
    assert_int_equal(trace_enable(true), 0);
    host_run(host_now + 20000000);
    assert_int_equal(unload(), 0);
    assert_int_equal(frames_free_bytes(), before);
    assert_false(trace_on);
}

static void the_control_console_creates_and_destroys(void **state)
{
    char line[80];
    paddr_t image = put_image();
    type_line("create");
    assert_true(said("say create ADDRESS [SIZE]"));
    static const char *const wrong[] = {
        "x", "0x", "1 x", "1 2 3", "4096 0", "99999999999999999999", "0x1ffffffffffffffff", "-1", "1k"
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        ksnprintf(line, sizeof(line), "create %s", wrong[i]);
        type_line(line);
        assert_true(said("say create ADDRESS [SIZE]"));
        assert_true(said("error: create: -22"));
    }
    ksnprintf(line, sizeof(line), "create 0x%llx %llu", (u64)image, (u64)sizeof(struct sample));
    type_line(line);
    assert_true(said("ok"));
    assert_int_equal(n_domains, 3);
    type_line("destroy it");
    assert_true(said("no argument"));
    type_line("destroy");
    assert_true(said("ok"));
    type_line("destroy");
    assert_true(said("none is there"));
    assert_int_equal(frames_free_bytes(), before);
    ksnprintf(line, sizeof(line), "create   %llu  ", (u64)put_image());
    type_line(line);
    assert_true(said("ok"));
    type_line("destroy");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_system_comes_and_goes),
        T(what_is_no_image_is_refused_with_the_checks_sentence),
        T(there_is_one_at_most),
        T(without_memory_nothing_is_left),
        T(a_domain_that_cannot_be_takes_the_others_with_it),
        T(the_keeper_ends_with_its_system),
        T(a_destroyed_system_does_not_switch_the_board_off),
        T(the_event_trace_takes_no_memory_along),
        T(the_control_console_creates_and_destroys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
