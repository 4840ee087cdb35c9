/* SPDX-License-Identifier: MIT */
/* test_shell_edit.c - what the shell does for linenoise (user/shell/edit.c): what is read ahead, what is drawn, which
 * lines are kept. The test is linenoise, and who types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

ssize_t typed_read(int number, void *to, size_t n);
ssize_t shown_write(int number, const void *from, size_t n);
int typed_poll(struct pollfd *of, nfds_t n, int timeout);
int set_modes(int number, int when, const struct termios *modes);

#define read      typed_read
#define write     shown_write
#define poll      typed_poll
#define tcsetattr set_modes
#include "../../user/shell/edit.c"
#undef read
#undef write
#undef poll
#undef tcsetattr

static const char *typed; /* that waits */
static char shown[8192];
static unsigned kept, most, no_memory;
static char *line; /* linenoise's answer */

int typed_poll(struct pollfd *of, nfds_t n, int timeout)
{
    assert_true(n == 1 && of->fd == STDIN_FILENO && !timeout);
    return *typed != '\0';
}

ssize_t typed_read(int number, void *to, size_t n)
{
    assert_true(number == STDIN_FILENO && n == 1);
    if (!*typed)
        return 0;
    *(char *)to = *typed++;
    return 1;
}

ssize_t shown_write(int number, const void *from, size_t n)
{
    assert_true(number == STDOUT_FILENO && n < sizeof(shown) - strlen(shown));
    strncat(shown, from, n);
    return (ssize_t)n;
}

int set_modes(int number, int when, const struct termios *modes)
{
    assert_true(number == STDIN_FILENO && when == TCSADRAIN &&
                !(modes->c_lflag & ICANON) == !!(modes->c_iflag & INLCR));
    return 0;
}

char *linenoise(const char *prompt)
{
    (void)prompt;
    if (no_memory) {
        no_memory--;
        errno = ENOMEM;
        return NULL;
    }
    return line ? strdup(line) : NULL;
}

int linenoiseHistoryAdd(const char *added)
{
    kept += strlen(added);
    return 1;
}

int linenoiseHistorySetMaxLen(int n)
{
    most = (unsigned)n;
    return 1;
}

void linenoiseSetCompletionCallback(void (*c)(const char *, linenoiseCompletions *)) { assert_ptr_equal(c, complete); }

static char offered[256];

void linenoiseAddCompletion(linenoiseCompletions *to, const char *offer)
{
    (void)to;
    strcat(strcat(offered, offer), "|");
}

struct names find_paths(const char *pattern)
{
    static const char *const there[] = {
        "a.txt", "a\033[2J", "a\nb", "a\177", "a\tb", "a\302\233m", "a b", "a\303\244"
    };
    struct names found = { 0 };
    assert_string_equal(pattern, "a\1");
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        assert_true(names_add(&found, there[i]));
    return found;
}

static int setup(void **state)
{
    (void)state;
    typed = "";
    shown[0] = '\0';
    has = taken = holds = fixed = 0;
    kept = no_memory = 0;
    ended = false;
    return 0;
}

static char take(void)
{
    char c = '\0';
    assert_int_equal(edit_read(STDIN_FILENO, &c, 1), 1);
    return c;
}

/* As linenoise writes a line that is longer than the screen. */
static void draw(const char *text)
{
    char all[64];
    int n = snprintf(all, sizeof all, "\r$ %s", text);
    assert_int_equal(edit_write(STDOUT_FILENO, all, (size_t)n), n);
}

static void what_is_drawn_while_more_waits_is_shown_once(void **state)
{
    (void)state;
    char text[4] = "";
    edit_write(STDOUT_FILENO, "\x1b[2J", 4);
    edit_write(STDOUT_FILENO, "$ ", 2);
    typed = "abc";
    for (unsigned i = 0; i < 3; i++) {
        text[i] = take();
        draw(text);
        assert_string_equal(shown, "");
    }
    typed = "";
    char c;
    assert_int_equal(edit_read(STDIN_FILENO, &c, 1), -1);
    assert_string_equal(shown, "\x1b[2J\r$ abc"); /* what has cleared the screen is not replaced */
    assert_true(ended);
}

static void what_follows_a_line_is_left_for_others(void **state)
{
    (void)state;
    typed = "ab\rcat";
    for (const char *c = "ab\r"; *c; c++)
        assert_int_equal(take(), *c);
    assert_string_equal(typed, "cat");
}

static void an_interrupt_drops_what_was_read_ahead(void **state)
{
    (void)state;
    typed = "abc\3def";
    assert_int_equal(take(), CTRL_C);
    release();
    assert_string_equal(shown, "^C");
    assert_string_equal(typed, "def");
}

static void a_text_of_any_length_is_read_whole(void **state)
{
    (void)state;
    static char text[3 * LINE + 2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 2] = '\r';
    typed = text;
    for (unsigned i = 0; i + 1 < sizeof text; i++)
        assert_int_equal(take(), text[i]);
    static char large[HELD + 1];
    memset(large, 'y', sizeof large);
    edit_write(STDOUT_FILENO, "first", 5);
    edit_write(STDOUT_FILENO, large, sizeof large);
    assert_true(strlen(shown) == 5 + sizeof large && !strncmp(shown, "firsty", 6));
}

static void lines_that_are_kept_have_a_bound(void **state)
{
    (void)state;
    static char text[LINE + 1];
    line = text;
    strcpy(text, "echo");
    free(edit_line("$ "));
    assert_int_equal(kept, 4);
    text[0] = '\0';
    free(edit_line("$ "));
    memset(text, 'x', LINE);
    free(edit_line("$ "));
    assert_int_equal(kept, 4);
    assert_true(most && most * LINE <= 65536);
}

static void without_memory_for_a_line_the_next_one_is_asked_for(void **state)
{
    (void)state;
    line = (char *)(uintptr_t) "next";
    no_memory = 2;
    char *got = edit_line("$ ");
    assert_non_null(got);
    assert_string_equal(got, "next");
    free(got);
    line = NULL; /* ^D */
    assert_null(edit_line("$ "));
}

/* A name may have any bytes: what moves the cursor, or would be another line, is not shown. */
static void a_name_with_control_characters_is_not_offered(void **state)
{
    (void)state;
    offered[0] = '\0';
    complete("cat a", NULL);
    assert_string_equal(offered, "cat a.txt|cat a\303\244|");
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_drawn_while_more_waits_is_shown_once),
        TEST(what_follows_a_line_is_left_for_others),
        TEST(an_interrupt_drops_what_was_read_ahead),
        TEST(a_text_of_any_length_is_read_whole),
        TEST(lines_that_are_kept_have_a_bound),
        TEST(without_memory_for_a_line_the_next_one_is_asked_for),
        TEST(a_name_with_control_characters_is_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
