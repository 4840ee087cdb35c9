# SPDX-License-Identifier: MIT
TESTS += openmp
openmp_SRC := $(addprefix user/openmp/,atomic.c lock.c start/member.c)
openmp_INCLUDES := user/openmp/openmp.h user/openmp/start/member.h
openmp_FIRST := -I$(ROOT)/user/openmp -I$(ROOT)/user/openmp/start -I$(ROOT)/tests/host/openmp -I$(ROOT)/tests/host/rcce
