/* SPDX-License-Identifier: MIT */
/* classes.c - the classes of devices that are linked. */
#include "class.h"

const struct device_class *const device_classes[HAL_DEVICE_CLASSES] = { [HAL_RTL8139] = &device_rtl8139 };
