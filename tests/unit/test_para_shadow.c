/* SPDX-License-Identifier: MIT */
/*
 * Shadow tables of guests in ring 1: after each of many random steps of a guest, which changes its tables, touches
 * pages, loads CR3 and invalidates, every entry that a processor could use grants only what the guest's tables have
 * granted since it last invalidated that page.
 *
 * The model keeps, for each directory and page, the entries that the guest's tables had there since then. What is
 * looked up anew at a load of CR3 must be there now.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <stdlib.h>
#include "para_ram.h"

#define DIRECTORIES  10u /* more than spaces */
#define TABLES       4u  /* shared by all directories: two of programs, two of the kernel's half */
#define PAGES        80u /* of each table that the guest uses */
#define SEEN         24u
#define STEPS        60000u
#define TABLE_AT     0x40000u
#define PAGED        0x80010011u
#define FOR_SOFTWARE 0xe00u /* bits of an entry that no processor looks at */

static const u32 places[TABLES] = { 1, 5, 768, 1022 };
static struct hal_vcpu v;
static struct shadow shadow;
static u32 shared_page[1024];
static shadow_page *pages;
/* What a page's entry was since it was invalidated, by directory; more than SEEN: anything. */
static struct seen {
    u32 n, entry[SEEN];
} seen[DIRECTORIES][TABLES][PAGES];

static u32 *entry_at(u32 table, u32 page) { return (u32 *)(ram + TABLE_AT + table * PAGE_SIZE) + page; }
static u32 directory_at(u32 d) { return (d + 1) * PAGE_SIZE; }
static u32 address(u32 table, u32 page) { return places[table] << 22 | page << 12; }

static void see(u32 d, u32 table, u32 page)
{
    struct seen *s = &seen[d][table][page];
    if (s->n < SEEN)
        s->entry[s->n] = *entry_at(table, page);
    s->n += s->n <= SEEN;
}

static void see_all(u32 table, u32 page)
{
    for (u32 d = 0; d < DIRECTORIES; d++)
        see(d, table, page);
}

static void forget(u32 d, u32 table, u32 page)
{
    seen[d][table][page].n = 0;
    see(d, table, page);
}

static void forget_space(u32 d, bool kernel)
{
    for (u32 t = kernel ? 2 : 0; t < (kernel ? TABLES : 2u); t++)
        for (u32 p = 0; p < PAGES; p++)
            forget(d, t, p);
}

static void forget_everything(void)
{
    for (u32 d = 0; d < DIRECTORIES; d++) {
        forget_space(d, false);
        forget_space(d, true);
    }
}

static u32 current(void) { return v.cr3 / PAGE_SIZE - 1; }

/* Whether one of the entries that were there permits `shown`. */
static bool granted(const struct seen *s, u32 shown)
{
    if (s->n > SEEN)
        return true;
    for (u32 i = 0; i < s->n; i++) {
        u32 e = s->entry[i], rights = ENTRY_P | (e & ENTRY_U) | (e & ENTRY_D ? e & ENTRY_W : 0);
        u32 frame = (u32)(unsigned long)ram + (e & ENTRY_FRAME);
        if (e & ENTRY_P && (shown & ENTRY_FRAME) == frame && !(shown & ~(ENTRY_FRAME | rights)))
            return true;
    }
    return false;
}

static u32 shown(u32 va)
{
    u32 d = shadow.current->directory[va >> 22];
    u32 e = d & ENTRY_P ? pages[((d & ENTRY_FRAME) - shadow.at) / PAGE_SIZE][va >> 12 & 1023] : 0;
    return e & ENTRY_P ? e & ~FOR_SOFTWARE : 0;
}

static void check(void)
{
    for (u32 t = 0; t < TABLES; t++)
        for (u32 p = 0; p < PAGES; p++) {
            u32 e = shown(address(t, p));
            if (e)
                assert_true(granted(&seen[current()][t][p], e));
        }
}

/* A new entry for a page. Its frame lies in memory, above the tables. */
static void change(void)
{
    u32 t = random_below(TABLES), p = random_below(PAGES), bits = random_below(8), global = t > 1 ? ENTRY_G : 0;
    *entry_at(t, p) = (0x80000 + random_below(128) * PAGE_SIZE) | bits | (random_below(2) ? global : 0);
    see_all(t, p);
}

static void touch(void)
{
    u32 t = random_below(TABLES), p = random_below(PAGES), error = random_below(4) << 1, gpa, wanted = error;
    u32 before = *entry_at(t, p);
    enum fault f = para_fault(&v, address(t, p) + random_below(PAGE_SIZE), &error, &gpa);
    bool may = before & ENTRY_P && (!(wanted & ACCESS_USER) || before & ENTRY_U) &&
               (!(wanted & ACCESS_WRITE) || before & ENTRY_W);
    assert_int_equal(f, may ? FAULT_FILLED : FAULT_GUEST);
    see_all(t, p); /* its A and D */
    if (may) {
        u32 e = shown(address(t, p));
        assert_true(e & ENTRY_P && (!(wanted & ACCESS_WRITE) || e & ENTRY_W) &&
                    (!(wanted & ACCESS_USER) || e & ENTRY_U));
        assert_true(*entry_at(t, p) & ENTRY_A && (!(wanted & ACCESS_WRITE) || *entry_at(t, p) & ENTRY_D));
    } else {
        assert_int_equal(error & 1, before & ENTRY_P);
    }
}

/* INVLPG: of the current space; what all spaces share is one entry. */
static void invalidate(void)
{
    u32 t = random_below(TABLES), p = random_below(PAGES);
    shadow_forget(&shadow, address(t, p));
    for (u32 d = 0; d < DIRECTORIES; d++)
        if (d == current() || t > 1)
            forget(d, t, p);
}

/* A load of CR3 forgets what is not global; more entries than the model holds are forgotten by none. */
static void forget_local(u32 d, u32 t, u32 p)
{
    struct seen *s = &seen[d][t][p];
    u32 kept = 0;
    if (s->n > SEEN)
        return;
    for (u32 i = 0; i < s->n; i++)
        if (s->entry[i] & ENTRY_G && v.cr4 & CR4_GLOBAL)
            s->entry[kept++] = s->entry[i];
    s->n = kept;
    see(d, t, p);
}

static void load(void)
{
    u32 d = random_below(DIRECTORIES);
    para_load_cr3(&v, directory_at(d), 0, 0);
    forget_space(d, false);
    for (u32 k = 0; k < DIRECTORIES; k++)
        for (u32 t = 2; t < TABLES; t++)
            for (u32 p = 0; p < PAGES; p++)
                forget_local(k, t, p);
}

static int setup(void **state)
{
    ram_begin();
    pages = calloc(SHADOW_PAGES, PAGE_SIZE);
    assert_non_null(pages);
    const u32 fixed[SHADOW_FIXED] = { 1, 1, 3, 3 };
    shadow_init(&shadow, pages, 0x10000000, fixed);
    shadow.most = SHADOW_FILLED;
    v = (struct hal_vcpu){ .shared = shared_page, .shadow = &shadow, .memory = &memory, .cr0 = PAGED };
    v.cr3 = directory_at(0);
    for (u32 d = 0; d < DIRECTORIES; d++)
        for (u32 t = 0; t < TABLES; t++)
            ((u32 *)(ram + directory_at(d)))[places[t]] = (TABLE_AT + t * PAGE_SIZE) | ENTRY_P | ENTRY_W | ENTRY_U;
    seed = 0x2545f491;
    para_load_cr3(&v, v.cr3, 0, 0);
    forget_everything();
    return 0;
}

static int teardown(void **state)
{
    free(pages);
    return ram_end(state);
}

static void no_entry_grants_what_the_guests_tables_do_not(void **state)
{
    for (u32 i = 0; i < STEPS; i++) {
        u32 what = random_below(10000);
        if (what < 2500) {
            change();
        } else if (what < 9000) {
            touch();
        } else if (what < 9950) {
            invalidate();
        } else if (what < 9996) {
            load();
        } else if (what < 9998) {
            para_set_cr4(&v, v.cr4 ^ CR4_GLOBAL);
            forget_everything();
        } else {
            shadow_flush(&shadow);
            forget_everything();
        }
        if (i % 16 == 0)
            check();
    }
}

static void a_space_that_the_guest_says_is_unchanged_is_used_as_it_is(void **state)
{
    u32 gpa, error = ACCESS_WRITE;
    *entry_at(0, 0) = 0x80000 | ENTRY_P | ENTRY_W;
    para_load_cr3(&v, directory_at(1), 7, 1);
    assert_int_equal(para_fault(&v, address(0, 0), &error, &gpa), FAULT_FILLED);
    para_load_cr3(&v, directory_at(2), 8, 1);
    assert_int_equal(shown(address(0, 0)), 0);
    *entry_at(0, 0) = 0;
    para_load_cr3(&v, directory_at(1), 7, 1);
    assert_int_not_equal(shown(address(0, 0)), 0);
    para_load_cr3(&v, directory_at(2), 8, 1);
    para_load_cr3(&v, directory_at(1), 7, 2); /* another generation */
    assert_int_equal(shown(address(0, 0)), 0);
    para_load_cr3(&v, directory_at(1), 7, 2); /* loaded again: a flush */
    assert_int_equal(shown(address(0, 0)), 0);
}

static void a_space_with_more_pages_than_are_looked_up_is_emptied(void **state)
{
    u32 gpa, last = SHADOW_FILLED + 20;
    for (u32 p = 0; p <= last; p++) {
        u32 error = ACCESS_WRITE;
        *entry_at(0, p) = 0x80000 | ENTRY_P | ENTRY_W;
        assert_int_equal(para_fault(&v, address(0, p), &error, &gpa), FAULT_FILLED);
    }
    *entry_at(0, last) = 0;
    para_load_cr3(&v, directory_at(1), 0, 0);
    para_load_cr3(&v, directory_at(0), 0, 0);
    assert_int_equal(shown(address(0, last)), 0);
}

/* Of a guest whose memory has many ranges (setup.c); with 0 each space is emptied. */
static void no_more_pages_are_looked_up_than_is_said(void **state)
{
    u32 gpa;
    for (u32 most = 0; most < 20; most++) {
        shadow.most = most;
        para_load_cr3(&v, directory_at(1), 0, 0);
        for (u32 p = 0; p < 10; p++) {
            u32 error = ACCESS_WRITE;
            *entry_at(0, p) = 0x80000 | ENTRY_P | ENTRY_W;
            shadow_forget(&shadow, address(0, p));
            assert_int_equal(para_fault(&v, address(0, p), &error, &gpa), FAULT_FILLED);
        }
        para_load_cr3(&v, directory_at(0), 0, 0);
        para_load_cr3(&v, directory_at(1), 0, 0);
        assert_int_equal(shown(address(0, 0)) != 0, most >= 10);
        shadow_flush(&shadow);
    }
}

/* A page that is forgotten and touched again, however often, is looked up once. */
static void a_page_is_in_a_spaces_list_once(void **state)
{
    u32 gpa;
    *entry_at(0, 0) = 0x80000 | ENTRY_P | ENTRY_W;
    for (u32 i = 0; i < 2 * SHADOW_FILLED; i++) {
        u32 error = ACCESS_WRITE;
        assert_int_equal(para_fault(&v, address(0, 0), &error, &gpa), FAULT_FILLED);
        shadow_forget(&shadow, address(0, 0));
    }
    assert_int_equal(shadow.current->n_filled, 1);
    assert_false(shadow.current->over);
}

static void the_fixed_pages_are_never_the_guests(void **state)
{
    u32 gpa, error = ACCESS_WRITE;
    ((u32 *)(ram + directory_at(0)))[1023] = (TABLE_AT + 0 * PAGE_SIZE) | ENTRY_P | ENTRY_W | ENTRY_U;
    for (u32 p = 0; p < 8; p++)
        *entry_at(0, p) = 0x80000 | ENTRY_P | ENTRY_W | ENTRY_U;
    for (u32 p = 0; p < 8; p++) {
        error = ACCESS_WRITE;
        assert_int_equal(para_fault(&v, SHADOW_FIXED_AT + p * PAGE_SIZE, &error, &gpa),
                         p < 4 ? FAULT_GUEST : FAULT_FILLED);
        shadow_forget(&shadow, SHADOW_FIXED_AT + (p & 3) * PAGE_SIZE);
    }
    shadow_flush(&shadow);
    assert_int_equal(pages[SHADOW_SPACES][0], 1);
    assert_int_equal(pages[SHADOW_SPACES][3], 3);
    assert_int_equal(pages[SHADOW_SPACES][4], 0);
}

static void memory_that_the_guest_has_not_is_named(void **state)
{
    u32 gpa, error = 0;
    *entry_at(0, 0) = 0x7654000 | ENTRY_P;
    assert_int_equal(para_fault(&v, address(0, 0) + 0x10, &error, &gpa), FAULT_NOWHERE);
    assert_int_equal(gpa, 0x7654010);
    error = 0;
    ((u32 *)(ram + directory_at(0)))[places[0]] = 0xdeadb000 | ENTRY_P; /* a table out of memory */
    assert_int_equal(para_fault(&v, address(0, 0), &error, &gpa), FAULT_GUEST);
    v.cr3 = 0xfffff000;
    error = 0;
    assert_int_equal(para_fault(&v, address(0, 0), &error, &gpa), FAULT_GUEST);
}

/* Another core may be between its look for a range and its use. */
static void a_range_that_was_found_stays_what_it_was(void **state)
{
    unsigned long at = (unsigned long)ram;
    assert_int_equal(stage2_map(&memory, 0xe0000000, at, 2 * PAGE_SIZE, S2_WRITE), 0);
    assert_int_equal(stage2_map(&memory, 0xe0100000, at + PAGE_SIZE, PAGE_SIZE, 0), 0);
    const struct stage2_range *r = para_range(&memory, 0xe0001000);
    for (unsigned i = 0; i < 2 * PAGE_SIZE / sizeof(*r); i++) {
        assert_int_equal(stage2_unmap(&memory, 0xe0000000, 2 * PAGE_SIZE), 0);
        assert_int_equal(stage2_unmap(&memory, 0xe0000000, 2 * PAGE_SIZE), -EINVAL);
        assert_null(para_range(&memory, 0xe0001000));
        assert_true(r->gpa == 0xe0000000 && r->at == ram && r->rights & ENTRY_W);
        assert_ptr_equal(para_range(&memory, 0xe0100000)->at, ram + PAGE_SIZE);
        assert_int_equal(stage2_map(&memory, 0xe0000000, at, 2 * PAGE_SIZE, S2_WRITE), 0);
        assert_int_equal(stage2_map(&memory, 0xe0001000, at, PAGE_SIZE, S2_WRITE), -EEXIST);
        assert_ptr_equal(para_range(&memory, 0xe0001000), r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_entry_grants_what_the_guests_tables_do_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_space_that_the_guest_says_is_unchanged_is_used_as_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(a_space_with_more_pages_than_are_looked_up_is_emptied, setup, teardown),
        cmocka_unit_test_setup_teardown(no_more_pages_are_looked_up_than_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_is_in_a_spaces_list_once, setup, teardown),
        cmocka_unit_test_setup_teardown(the_fixed_pages_are_never_the_guests, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_the_guest_has_not_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_that_was_found_stays_what_it_was, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
