/* SPDX-License-Identifier: MIT */
/* The words of a line of the shell (user/shell), with patterns: names of files in a folder of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

int status;
bool leaving;
static char folder[] = "/tmp/shell-words-XXXXXX";
static struct words words;

static const char *const files[] = {
    "a", "ab", "abc", "b.c", "c.c", ".hidden", "d/a", "d/x.c", "e/x.c", "e/f/x.c", "*"
};
static const char *const folders[] = { "d", "e", "e/f" };

static int begin(void **state)
{
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0755), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(close(open(files[i], O_CREAT | O_WRONLY, 0644)), 0);
    return 0;
}

static int end(void **state)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    for (size_t i = sizeof folders / sizeof *folders; i; i--)
        rmdir(folders[i - 1]);
    return rmdir(folder);
}

/* Returns the words of a line, with a space between. */
static const char *cut(const char *line)
{
    static char all[2 * TEXT];
    const char *wrong = words_of(&line, &words);
    if (wrong)
        return wrong;
    *all = '\0';
    for (unsigned i = 0; i < words.n; i++)
        strcat(strcat(all, i ? " " : ""), words.word[i]);
    assert_null(words.word[words.n]);
    return all;
}

static void a_pattern_becomes_the_files_that_it_describes_in_order(void **state)
{
    assert_string_equal(cut("ls a*"), "ls a ab abc");
    assert_string_equal(cut("ls ?b*"), "ls ab abc");
    assert_string_equal(cut("ls ?"), "ls * a d e");
    assert_string_equal(cut("ls *.c b*b*"), "ls b.c c.c b*b*");
    assert_string_equal(cut("ls */*.c"), "ls d/x.c e/x.c");
    assert_string_equal(cut("ls ./e//*/x.?"), "ls ./e//f/x.c");
    assert_string_equal(cut("ls */f"), "ls e/f");
    assert_string_equal(cut("ls e*/"), "ls e/");
    assert_string_equal(cut("ls a**c"), "ls abc");
    assert_string_equal(cut("ls *a*b*c*"), "ls abc");
}

static void a_name_with_a_dot_is_described_by_a_dot(void **state)
{
    assert_string_equal(cut("ls *idden"), "ls *idden");
    assert_string_equal(cut("ls ?hidden"), "ls ?hidden");
    assert_string_equal(cut("ls .h*"), "ls .hidden");
}

static void what_is_quoted_or_a_variables_value_is_no_pattern(void **state)
{
    setenv("PATTERN", "a*", 1);
    assert_string_equal(cut("ls 'a*' \"a*\" a\\* $PATTERN"), "ls a* a* a* a*");
    assert_string_equal(cut("ls 'a'* a\"b\"?"), "ls a ab abc abc");
    assert_string_equal(cut("ls \\**"), "ls *");
}

static void a_word_without_files_and_a_redirection_stay(void **state)
{
    assert_string_equal(cut("ls x* d/?? none/*"), "ls x* d/?? none/*");
    assert_string_equal(cut("ls > a* 2> b* < ?"), "ls > a* 2> b* < ?");
    assert_string_equal(cut("echo ab* | ab*"), "echo ab abc | ab abc");
}

static void too_many_names_are_said(void **state)
{
    char line[600] = "echo";
    for (unsigned i = 0; i < 50; i++)
        strcat(line, " a* ?");
    assert_string_equal(cut(line), "the line is too long");
    memset(line, '*', sizeof line - 1); /* takes no longer than its length times the name's */
    line[sizeof line - 1] = '\0';
    assert_string_equal(cut(line), "* a ab abc b.c c.c d e");
}

static void a_pattern_may_be_the_last_word_that_there_is_room_for(void **state)
{
    char line[2 * WORDS + 8] = "";
    for (unsigned i = 0; i < WORDS - 1; i++)
        strcat(line, "x ");
    assert_string_not_equal(cut(strcat(line, "b*.c")), "the line is too long");
    assert_int_equal(words.n, WORDS);
    assert_string_equal(words.word[WORDS - 1], "b.c");
    line[strlen(line) - 4] = '\0';
    assert_string_equal(cut(strcat(line, "?.c")), "the line is too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_becomes_the_files_that_it_describes_in_order),
        cmocka_unit_test(a_name_with_a_dot_is_described_by_a_dot),
        cmocka_unit_test(what_is_quoted_or_a_variables_value_is_no_pattern),
        cmocka_unit_test(a_word_without_files_and_a_redirection_stay),
        cmocka_unit_test(too_many_names_are_said),
        cmocka_unit_test(a_pattern_may_be_the_last_word_that_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
