# SPDX-License-Identifier: MIT
TESTS += vmx
vmx_SRC := kernel/arch/x86/vmx/capability.c
vmx_CFLAGS := -include $(ROOT)/tests/host/x86.h -include $(ROOT)/tests/host/msrs.h $(X86)

# Runs of a guest, by theme.
vmx_run_SRC := $(addprefix kernel/arch/x86/vmx/,debug.c event.c exit.c fast.c fields.c reset.c user.c vcpu.c entry_nocheck.c)
vmx_run_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/vmx_host.h) \
                  -I$(ROOT)/kernel/arch/x86/vmx/include $(X86)
vmx_runs := vmx_exits vmx_fast vmx_events vmx_two
TESTS += vmx_run $(vmx_runs)
$(foreach t,$(vmx_runs),$(eval $(t)_SRC := $(vmx_run_SRC))$(eval $(t)_CFLAGS := $(vmx_run_CFLAGS)))

TESTS += vmx_check
vmx_check_SRC := kernel/arch/x86/vmx/entry_check.c
vmx_check_CFLAGS := $(vmx_run_CFLAGS)

TESTS += ept
ept_SRC := kernel/arch/x86/amdv/npt.c
ept_CFLAGS := -include $(ROOT)/tests/host/x86.h -include $(ROOT)/tests/host/msrs.h -I$(ROOT)/kernel/arch/x86/vmx/include $(X86)

TESTS += vmx_setup
vmx_setup_SRC := kernel/arch/x86/vmx/setup.c
vmx_setup_CFLAGS := $(vmx_run_CFLAGS)
