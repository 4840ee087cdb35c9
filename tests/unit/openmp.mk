# SPDX-License-Identifier: MIT
TESTS += openmp
openmp_SRC := user/openmp/start/member.c
openmp_FIRST := -I$(ROOT)/user/openmp -I$(ROOT)/user/openmp/start -I$(ROOT)/tests/host/openmp -I$(ROOT)/tests/host/rcce

# The whole runtime, but what begins on the board.
openmp_all := $(addprefix user/openmp/,affinity.c atomic.c cancel.c control.c doacross.c environment.c generic.c lock.c loop.c memory.c places.c \
    reduction.c start/member.c task.c task_calls.c taskloop.c team.c teams.c work.c)
TESTS += openmp_lost
openmp_lost_SRC := $(openmp_all)
openmp_lost_FIRST := $(openmp_FIRST)
# What gcc says of a struct that is passed by value; picolibc has strlcpy(). Of another TLS model the linker makes LEA of
# an ADD whose flags gcc's check for a null pointer reads.
openmp_host := -Wno-psabi -ftls-model=local-exec -include $(ROOT)/tests/host/openmp/strlcpy.h
openmp_lost_CFLAGS := $(openmp_host)

TESTS += openmp_threads
openmp_threads_SRC := $(openmp_all)
openmp_threads_FIRST := $(openmp_FIRST)
# The thread sanitizer in place of the others.
openmp_threads_CFLAGS := $(openmp_host) -fno-sanitize=address -fsanitize=thread --param=tsan-distinguish-volatile=1 -fopenmp -B$(ROOT)/tests/host/openmp/
