# SPDX-License-Identifier: MIT
FUZZERS += acpi
acpi_SRC := kernel/arch/x86/boot/acpi.c
acpi_CFLAGS := $(X86)
acpi_MAX_LEN := 256
