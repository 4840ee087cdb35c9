# SPDX-License-Identifier: MIT
PPC405 := -I$(ROOT)/tests/host/ppc405 -I$(ROOT)/kernel/arch/ppc405/include -I$(ROOT)/kernel/board/ref405ep/include
TESTS += ppc_uic ppc_timers ppc_uart ppc_console ppc_doorbell
ppc_uic_SRC := kernel/vm/ppc405/uic.c tests/host/ppc405/fake_guest.c
ppc_uic_FIRST := $(PPC405) -I$(ROOT)/kernel/vm/ppc405
ppc_timers_SRC := kernel/vm/ppc405/timers.c tests/host/ppc405/fake_guest.c
ppc_timers_FIRST := $(PPC405) -I$(ROOT)/kernel/vm/ppc405
ppc_uart_SRC := $(addprefix kernel/vm/ppc405/,uart.c mmio.c dcr.c uic.c) tests/host/ppc405/fake_guest.c
ppc_uart_FIRST := $(PPC405) -I$(ROOT)/kernel/vm/ppc405
# The fakes first: of two defaults for one function the linker takes the earlier one.
ppc_console_SRC := tests/host/ppc405/fake_guest.c $(addprefix kernel/vm/ppc405/,devices.c lent.c uic.c) kernel/arch/ppc405/report.c \
                   $(addprefix kernel/board/ref405ep/,doorbell_none.c console.c irq.c)
ppc_console_FIRST := $(PPC405) -I$(ROOT)/kernel/vm/ppc405
ppc_doorbell_SRC := kernel/board/ref405ep/doorbell.c
ppc_doorbell_FIRST := $(PPC405)
