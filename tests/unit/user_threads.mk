# SPDX-License-Identifier: MIT
# The library of processes on the host (tests/host/userlib/userlib.h); the names that it shares with the host's C library are changed.
USERLIB_SRC := tests/host/userlib/calls.c $(addprefix user/lib/,cond.c cond_attr.c heap.c lock.c mutex.c mutex_attr.c mutex_robust.c once.c \
               pthread.c pthread_attr.c pthread_barrier.c pthread_cleanup.c pthread_rwlock.c pthread_spin.c semaphore.c semaphore_named.c \
               thread_leave.c time.c tls.c)
USERLIB_KEY := user/lib/pthread_key.c
USERLIB_NAMES := exit clock_gettime clock_getres gettimeofday times nanosleep sleep usleep sched_yield sbrk
USERLIB_FIRST := $(foreach name,$(USERLIB_NAMES),-D$(name)=user_$(name)) -I$(ROOT)/tests/host/userlib -I$(OUT)/include -I$(ROOT)/user/lib
# Several of these tests may be built at once: the header is whole when it is seen.
$(OUT)/include/generated/user_names.h: $(addprefix $(ROOT)/user/include/,pthread.h semaphore.h amalgam/pthread_attr.h amalgam/pthread_sync.h) $(ROOT)/tests/unit/user_threads.mk
	@mkdir -p $(dir $@)
	@grep -ohE '\<(pthread|sched|sem)_[a-z_]+\>|\<cpu_set_t\>' $(filter %.h,$^) | grep -vE "cleanup|sched_param" | sort -u | sed 's/.*/#define & user_&/' > $@.$$PPID && mv $@.$$PPID $@

TESTS += user_threads
user_threads_SRC := $(USERLIB_SRC)
user_threads_FIRST := $(USERLIB_FIRST)
$(OUT)/test_user_threads: $(OUT)/include/generated/user_names.h

# The test includes the file of keys.
TESTS += user_keys
user_keys_SRC := $(USERLIB_SRC)
user_keys_INCLUDES := $(USERLIB_KEY)
user_keys_FIRST := $(USERLIB_FIRST)
$(OUT)/test_user_keys: $(OUT)/include/generated/user_names.h

TESTS += user_sync
user_sync_SRC := $(USERLIB_SRC)
user_sync_FIRST := $(USERLIB_FIRST)
$(OUT)/test_user_sync: $(OUT)/include/generated/user_names.h

TESTS += user_semaphores
user_semaphores_SRC := $(USERLIB_SRC)
user_semaphores_FIRST := $(USERLIB_FIRST)
$(OUT)/test_user_semaphores: $(OUT)/include/generated/user_names.h

# The thread sanitizer excludes the others; the checker of lock classes is the kernel's.
TESTS += user_stress
user_stress_SRC := $(USERLIB_SRC) $(USERLIB_KEY)
user_stress_FIRST := $(USERLIB_FIRST)
user_stress_CFLAGS := -fno-sanitize=address,undefined -fsanitize=thread
$(OUT)/test_user_stress: $(OUT)/include/generated/user_names.h

TESTS += user_pipes
user_pipes_SRC := $(USERLIB_SRC) $(addprefix user/lib/,descriptors.c numbers.c outside_pipe.c pipe.c)
user_pipes_FIRST := $(USERLIB_FIRST) $(foreach name,close dup dup2 dup3 fcntl pipe pipe2,-D$(name)=user_$(name))
user_pipes_CFLAGS := $(USERSPAWN_AFTER)
$(OUT)/test_user_pipes: $(OUT)/include/generated/user_names.h

TESTS += nanvix_threads
nanvix_threads_SRC := $(USERLIB_SRC) user/nanvix/lib/thread.c
nanvix_threads_FIRST := $(USERLIB_FIRST) -I$(ROOT)/user/nanvix/include
$(OUT)/test_nanvix_threads: $(OUT)/include/generated/user_names.h
