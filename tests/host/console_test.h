/* SPDX-License-Identifier: MIT */
/* console_test.h - what tests of the console share: two domains and the monitor listen, and a case begins with empty
 * lines. */
#ifndef CONSOLE_TEST_H
#define CONSOLE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <core/console.h>
#include <hal/upcalls.h>
#include <string.h>

/* What reached domain 0, domain 1 and the monitor, and by which port that one. */
static char got[3][256];
static size_t got_n[3];
static unsigned got_port;
static void input(void *arg, u8 byte)
{
    unsigned i = (unsigned)(uintptr_t)arg;
    got[i][got_n[i]++] = (char)byte;
}
static void monitor_input(void *arg, u8 byte)
{
    got_port = (unsigned)(uintptr_t)arg;
    got[2][got_n[2]++] = (char)byte;
}
static int setup(void **state)
{
    static bool once;
    if (!once)
        host_boot(1);
    once = true;
    console_init();
    console_queue(false);
    host_room[0] = host_room[1] = ~0u;
    console_register(0, "linux", input, (void *)0);
    console_register(1, "rt", input, (void *)1);
    console_register(CONSOLE_KERNEL, "amalgam", monitor_input, NULL);
    host_tagged_port = true;
    host_type(1, "\xff\xfe", 2);
    console_focus(CONSOLE_KERNEL);
    for (unsigned i = 0; i < 2; i++)
        console_write(i, "\n", 1); /* no half lines of the last test */
    console_write(CONSOLE_KERNEL, "\n", 1);
    memset(got, 0, sizeof(got));
    memset(got_n, 0, sizeof(got_n));
    host_clear_out();
    return 0;
}
static void say(unsigned source, const char *text) { console_write(source, text, strlen(text)); }

#define T(f) cmocka_unit_test_setup(f, setup)

#endif
