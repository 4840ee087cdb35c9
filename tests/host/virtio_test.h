/* SPDX-License-Identifier: MIT */
/* virtio_test.h - what every test of a virtio device begins with. */
#ifndef AMALGAM_TESTS_VIRTIO_TEST_H
#define AMALGAM_TESTS_VIRTIO_TEST_H

#include <errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_driver.h"

/* A device of `vm` as its driver finds it, not yet started. */
static inline struct drv plugged(struct vm *vm, const struct sys_device *conf)
{
    assert_int_equal(virtio_create(vm, conf, NULL), 0);
    return drv_at(vm, conf->slot);
}

#endif
