/* SPDX-License-Identifier: MIT */
/*
 * Memory of a guest in ring 1 whose pages come and go: after each of many random steps no shadow and no place that is
 * kept has a page that is not here, whoever looks for one gives up and names it, and what was done until then is put
 * back.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "para_ram.h"

#define DIRECTORIES 10u /* more than spaces */
#define PAGES       12u
#define STRONG_AT   0x40000000u
#define BUS         0x20000000u
#define TABLE       0u /* the strong page that is the second table */
#define TABLE_AT    0x40000u
#define SHOWN       24u /* addresses of each table that the guest uses: several of each page */
#define STEPS       40000u
#define PAGED       0x80010011u

unsigned long host_cr0, host_cr2;
static const u32 places[] = { 1, 800 };
static struct para_state state;
static struct para_regs regs;
static struct shadow shadow;
static u32 shared_page[1024];
static struct hal_vcpu v;
static shadow_page *tables;
static u8 *strong;
static struct strong_page *pages;

static u32 directory_at(u32 d) { return (d + 1) * PAGE_SIZE; }
static u32 address(u32 table, u32 i) { return places[table] << 22 | i << 12; }
static bool is_away(u32 page) { return page < PAGES && !pages[page].here; }

/* A space's table, or NULL: it has none. */
static const u32 *table_of(u32 space, u32 table)
{
    u32 entry = shadow.space[space].directory[places[table]];
    return entry ? tables[((entry & ENTRY_FRAME) - shadow.at) / PAGE_SIZE] : NULL;
}

static void check(void)
{
    for (u32 t = 0; t < 2 * SHADOW_SPACES; t++) {
        const u32 *table = table_of(t / 2, t % 2);
        for (u32 i = 0; table && i < SHOWN; i++)
            if (table[i] & ENTRY_P)
                assert_false(is_away(((table[i] & ENTRY_FRAME) - BUS) / PAGE_SIZE));
    }
    for (u32 i = 0; i < PARA_KEPT; i++)
        if (v.kept[i].key)
            assert_false(is_away((u32)(v.kept[i].page - strong) / PAGE_SIZE));
}

/* The page that an address needs first and is not here; PAGES: none. */
static u32 lacking(u32 table, u32 i)
{
    if (table && is_away(TABLE))
        return TABLE;
    u32 entry = table ? ((u32 *)strong)[i] : ((u32 *)(ram + TABLE_AT))[i], page = (entry - STRONG_AT) / PAGE_SIZE;
    return is_away(page) ? page : PAGES;
}

static void touch(void)
{
    u32 table = random_below(2), i = random_below(SHOWN), lacks = lacking(table, i), gpa, error = ACCESS_WRITE;
    para_strong_save(&v);
    enum fault f = para_fault(&v, address(table, i), &error, &gpa);
    assert_true((f == FAULT_FILLED) == (lacks == PAGES));
    assert_int_equal(vcpu_lacks(&v), lacks == PAGES ? -1 : (int)lacks);
}

/* An access of ours. One that was kept needs no table, as in a TLB. */
static void find(void)
{
    u32 table = random_below(2), i = random_below(SHOWN), lacks = lacking(table, i);
    u8 *at = para_at(&v, address(table, i), ACCESS_WRITE);
    int lacked = vcpu_lacks(&v);
    if (at)
        assert_true(at >= strong && at < strong + PAGES * PAGE_SIZE && lacked < 0);
    else
        assert_int_equal(lacked, lacks);
}

static int setup(void **unused)
{
    ram_begin();
    tables = calloc(SHADOW_PAGES, PAGE_SIZE);
    pages = calloc(1, STRONG_ROOM(PAGES * PAGE_SIZE));
    strong = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_true(tables && pages && strong != MAP_FAILED);
    const u32 fixed[SHADOW_FIXED] = { 1, 1, 3, 3 };
    shadow_init(&shadow, tables, 0x10000000, fixed);
    shadow.most = SHADOW_FILLED;
    v = (struct hal_vcpu){ .state = &state, .regs = &regs, .shared = shared_page, .shadow = &shadow };
    v.memory = &memory;
    v.cr0 = PAGED;
    vcpu_strong(&v, STRONG_AT, PAGES * PAGE_SIZE, strong, BUS, pages);
    for (u32 d = 0; d < DIRECTORIES; d++) {
        ((u32 *)(ram + directory_at(d)))[places[0]] = TABLE_AT | 7;
        ((u32 *)(ram + directory_at(d)))[places[1]] = (STRONG_AT + TABLE * PAGE_SIZE) | 7;
    }
    for (u32 i = 0; i < SHOWN; i++) {
        ((u32 *)(ram + TABLE_AT))[i] = (STRONG_AT + i % PAGES * PAGE_SIZE) | 7;
        ((u32 *)strong)[i] = (STRONG_AT + (i + 5) % PAGES * PAGE_SIZE) | 7;
    }
    seed = 0x2545f491;
    para_load_cr3(&v, directory_at(0), 0, 0);
    return 0;
}

static int teardown(void **state)
{
    munmap(strong, PAGES * PAGE_SIZE);
    free(tables);
    free(pages);
    return ram_end(state);
}

static void a_page_that_goes_is_nowhere_any_more(void **unused)
{
    for (u32 i = 0; i < STEPS; i++) {
        u32 what = random_below(1000), page = random_below(PAGES);
        if (what < 500)
            touch();
        else if (what < 700)
            find();
        else if (what < 880)
            vcpu_came(&v, page);
        else if (what < 980 && pages[page].here)
            vcpu_lose(&v, page);
        else if (what < 990)
            para_load_cr3(&v, directory_at(random_below(DIRECTORIES)), random_below(4), random_below(2));
        else if (what < 999)
            para_forget(&v, address(random_below(2), random_below(SHOWN)));
        else
            shadow_flush(&shadow);
        check();
    }
}

/* Few stores clear what is at two places, and all else stays. */
static void a_page_that_goes_takes_no_other_one_with_it(void **unused)
{
    u32 gpa, error = ACCESS_WRITE;
    vcpu_came(&v, 1);
    vcpu_came(&v, 2);
    assert_int_equal(para_fault(&v, address(0, 1), &error, &gpa), FAULT_FILLED);
    assert_int_equal(para_fault(&v, address(0, 2), &error, &gpa), FAULT_FILLED);
    vcpu_lose(&v, 1);
    const u32 *table = table_of((u32)(shadow.current - shadow.space), 0);
    assert_int_equal(table[1] & ENTRY_P, 0);
    assert_int_equal(table[2] & ENTRY_FRAME, BUS + 2 * PAGE_SIZE);
}

static void what_lacked_a_page_is_put_back(void **unused)
{
    struct vcpu_exit e;
    regs = (struct para_regs){ .eip = 0x1000, .esp = 0x2000, .eax = 7 };
    v.lines = 5;
    shared_set(&v, PARA_SHARE_FLAG, 0x200);
    shared_set(&v, PARA_SHARE_CR2, 0x1234);
    para_strong_save(&v);
    struct para_regs before = regs;
    regs.eip = regs.esp = regs.eax = 0;
    v.lines = 2; /* one that was taken, and one that has come */
    shared_set(&v, PARA_SHARE_FLAG, 0);
    shared_set(&v, PARA_SHARE_CR2, 0);
    assert_int_equal(para_strong_lack(&v, &e), EXIT);
    assert_int_equal(e.reason, VCPU_EXIT_OTHER);
    assert_memory_equal(&regs, &before, sizeof(regs));
    assert_int_equal(v.lines, 7);
    assert_int_equal(shared_get(&v, PARA_SHARE_FLAG), 0x200);
    assert_int_equal(shared_get(&v, PARA_SHARE_CR2), 0x1234);
}

/* What only lacked a page has changed nothing, and the state of the turn before is none of its own. */
static void a_page_fault_that_lacks_a_page_puts_nothing_back(void **unused)
{
    struct vcpu_exit e;
    regs = (struct para_regs){ .vector = 3 };
    v.lines = 1; /* which is delivered before it is entered */
    para_strong_begin(&v);
    assert_true(para_strong.saved);
    regs = (struct para_regs){ .vector = VEC_PF, .eax = 7 };
    assert_int_equal(para_strong_left(&v, &e, LEFT_AT), DONE);
    assert_false(para_strong.saved);
    assert_int_equal(para_strong_lack(&v, &e), EXIT);
    assert_true(regs.eax == 7 && para_strong.again);
    regs.vector = VEC_UD;
    para_strong_left(&v, &e, LEFT_AT);
    assert_true(para_strong.saved);
    regs.vector = VEC_PF;
    para_strong_left(&v, &e, 1 + VEC_PF); /* while its registers were loaded: they are not its own */
    assert_true(para_strong.saved);
}

static void lack(u32 i)
{
    u32 gpa, error = ACCESS_WRITE;
    para_strong.again = false;
    para_strong_begin(&v);
    para_strong.again = true;
    assert_int_equal(para_fault(&v, address(0, i), &error, &gpa), FAULT_NOWHERE);
    assert_int_equal(vcpu_lacks(&v), i);
}

static u32 shown_at(u32 i)
{
    const u32 *table = table_of((u32)(shadow.current - shadow.space), 0);
    return table ? table[i] & (ENTRY_FRAME | ENTRY_P) : 0;
}

static void a_page_that_comes_is_shown_where_it_lacked(void **unused)
{
    lack(1);
    vcpu_came(&v, 1);
    assert_int_equal(shown_at(1), (BUS + PAGE_SIZE) | ENTRY_P);
    assert_false(para_strong.again);
    lack(2);
    vcpu_came(&v, 3); /* another one */
    assert_int_equal(shown_at(2), 0);
    assert_true(para_strong.again && vcpu_lacks(&v) < 0);
}

/* Another vCPU has changed the table meanwhile, and said so. */
static void what_is_forgotten_meanwhile_is_looked_up_again(void **unused)
{
    lack(1);
    ((u32 *)(ram + TABLE_AT))[1] = 0;
    vcpu_forget(&v, address(0, 1), 1);
    vcpu_came(&v, 1);
    assert_int_equal(shown_at(1), 0);
    assert_true(para_strong.again);
    lack(2);
    vcpu_flush(&v);
    vcpu_came(&v, 2);
    assert_int_equal(shown_at(2), 0);
    lack(3);
    para_load_cr3(&v, directory_at(1), 0, 0);
    vcpu_came(&v, 3);
    assert_int_equal(shown_at(3), 0);
}

/* By the trap flag, unless the guest has it: only then is an exception of debugging ours. */
static void one_instruction_is_executed_and_no_exception_of_the_guests_is_taken_for_it(void **unused)
{
    struct vcpu_exit e;
    for (u32 own = 0; own <= 0x100; own += 0x100) {
        regs = (struct para_regs){ .eflags = own | 2, .vector = VEC_DB };
        vcpu_step(&v);
        para_strong_enter(&v);
        assert_int_equal(regs.eflags & 0x100, 0x100);
        assert_int_equal(para_strong_left(&v, &e, LEFT_AT), own ? DONE : EXIT);
        assert_int_equal(regs.eflags & 0x100, own);
        assert_int_equal(vcpu_stepped(&v), !own);
    }
    regs = (struct para_regs){ .eflags = 2, .vector = VEC_DB };
    para_strong_enter(&v);
    assert_int_equal(para_strong_left(&v, &e, LEFT_AT), DONE);
    assert_false(vcpu_stepped(&v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_that_goes_is_nowhere_any_more, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_that_goes_takes_no_other_one_with_it, setup, teardown),
        cmocka_unit_test_setup_teardown(what_lacked_a_page_is_put_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_fault_that_lacks_a_page_puts_nothing_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_that_comes_is_shown_where_it_lacked, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_forgotten_meanwhile_is_looked_up_again, setup, teardown),
        cmocka_unit_test_setup_teardown(one_instruction_is_executed_and_no_exception_of_the_guests_is_taken_for_it,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
