/* SPDX-License-Identifier: MIT */
/* test_shell_tell.c - what the shell of a many-core tells of clusters (user/shell/clusters/tell.c). The test is the
 * process servers of two clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SAID (1 << 17)
#include "say.h"

#define printf say
#include "tell.c"
#undef printf

#define CLUSTERS 2

static int has, error; /* processes in the list of cluster 0; how it ends */
static struct nanvix_process_stats stats;

int nanvix_process_cluster(unsigned i, int *node)
{
    *node = (int)i;
    return i < CLUSTERS ? 0 : -EINVAL;
}

int nanvix_process_stats(int node, struct nanvix_process_stats *s)
{
    *s = stats;
    return node ? -EAGAIN : 0;
}

int nanvix_process_list(int node, int number, struct nanvix_process *p)
{
    if (node || number == has)
        return node ? -ESRCH : error;
    *p = (struct nanvix_process){ .number = number + 1, .from = 1, .threads = 2, .runs = number != 1, .name = "one" };
    return 0;
}

static int setup(void **state)
{
    (void)state;
    has = 3;
    error = -ESRCH;
    stats = (struct nanvix_process_stats){ 0 };
    said[0] = '\0';
    return 0;
}

static void tells(void (*command)(int argc, char **words), const char *what)
{
    said[0] = '\0';
    command(1, NULL);
    assert_string_equal(strchr(said, '\n') + 1, what);
}

static void top_lists_cores_where_the_kernel_tells_which_are_awake(void **state)
{
    (void)state;
    tells(tell_top, "      0     2        4      -  -        -        -        one one\n      1  does not answer\n");
    stats = (struct nanvix_process_stats){ .awake = 3, .awake_limit = 4, .cores = 9 };
    stats.core_awake = 1 | 0x1c;
    stats.core_waits = 0x120;
    tells(tell_top, "      0     2        4      4  0,2-4    1,6-7    5,8      one one\n      1  does not answer\n");
    stats.core_awake = 0x1ff;
    stats.core_waits = 0;
    stats.awake_limit = 0;
    tells(tell_top, "      0     2        4      -  0-8      -        -        one one\n      1  does not answer\n");
}

/* No list is longer than its room, and no core is named that the server has not said to be there. */
static void top_prints_what_a_server_that_lies_says_of_cores(void **state)
{
    (void)state;
    has = 0;
    stats = (struct nanvix_process_stats){ .cores = 2, .core_awake = UINT64_MAX, .core_waits = UINT64_MAX };
    tells(tell_top, "      0     0        0      -  0-1      -        -       \n      1  does not answer\n");
    stats.cores = 64;
    stats.core_awake = 0xdb6db6db6db6db6dull; /* pairs: the longest list */
    stats.core_waits = 0;
    said[0] = '\0';
    tell_top(1, NULL);
    assert_non_null(strstr(said, "  0,2-3,5-6,8-9,"));
    assert_non_null(strstr(said, ",59-60,62-63  1,4,7,"));
}

static void a_list_that_ends_with_an_error_is_not_one_of_nothing(void **state)
{
    (void)state;
    has = 0;
    error = -EAGAIN;
    tells(tell_top, "      0  does not answer\n      1  does not answer\n");
    tells(tell_processes, "      0  does not answer\n");
    error = -EIO;
    tells(tell_top, "      0  answers wrong\n      1  does not answer\n");
    tells(tell_processes, "      0  answers wrong\n");
}

static void a_list_without_an_end_does_not_keep_the_shell(void **state)
{
    (void)state;
    has = 1000000;
    tells(tell_top, "      0  answers wrong\n      1  does not answer\n");
    said[0] = '\0';
    tell_processes(1, NULL);
    assert_non_null(strstr(said, "      0  answers wrong\n"));
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(top_lists_cores_where_the_kernel_tells_which_are_awake),
        TEST(top_prints_what_a_server_that_lies_says_of_cores),
        TEST(a_list_that_ends_with_an_error_is_not_one_of_nothing),
        TEST(a_list_without_an_end_does_not_keep_the_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
