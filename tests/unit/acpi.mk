# SPDX-License-Identifier: MIT
TESTS += acpi
acpi_SRC := kernel/arch/x86_64/acpi.c
acpi_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
