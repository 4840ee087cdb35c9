/* SPDX-License-Identifier: MIT */
/* A kernel whose cores ring each other wants longer windows, as its vectors wait for the lock, too. */
#include "partition_shortest.h"

static void with_doorbells_windows_are_longer(void **state) { shortest_is(PT_WINDOW_MIN_BELL, PT_WINDOW_MIN_BELL_8); }

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(with_doorbells_windows_are_longer) };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
