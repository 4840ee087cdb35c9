# SPDX-License-Identifier: MIT
FUZZERS += acpi
acpi_SRC := kernel/arch/x86_64/acpi.c
acpi_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
acpi_MAX_LEN := 256
