# SPDX-License-Identifier: MIT
FUZZERS += apex
apex_SRC := guests/ppc405/apex/port.c guests/ppc405/apex/box.c guests/ppc405/apex/sampling.c guests/ppc405/apex/queuing.c
apex_CFLAGS := -I$(ROOT)/guests/ppc405/apex
apex_MAX_LEN := 1024
apex_ARGS := -len_control=0
