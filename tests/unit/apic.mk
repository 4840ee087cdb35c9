# SPDX-License-Identifier: MIT
TESTS += apic
apic_SRC := $(addprefix kernel/arch/x86/,cpu/apic.c 64/apic_access.c)
apic_CFLAGS := -include $(ROOT)/tests/host/trap_host.h -D"apic_has_base()=true" $(X86)
