# SPDX-License-Identifier: MIT
TESTS += acpi
acpi_SRC := kernel/arch/x86/boot/acpi.c
acpi_CFLAGS := $(X86)
