# SPDX-License-Identifier: MIT
TESTS += apex
apex_SRC := guests/ppc405/apex/port.c guests/ppc405/apex/box.c guests/ppc405/apex/sampling.c guests/ppc405/apex/queuing.c
apex_FIRST := -I$(ROOT)/guests/ppc405/apex
