# SPDX-License-Identifier: MIT
needs := $(CONFIG_SVM)
files-y := alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c
# A fault that another core waits for is counted (bench/scc).
fast-y := fault.c own.c show.c
# Whether a page's frame moves: home.h of one folder or the other.
dirs-$(CONFIG_SVM_MIGRATE) += moving
# Whether the pages may be a process's: party.h of one folder or the other.
dirs-y += $(if $(CONFIG_PROCESS),processes,alone)
arch-cflags += -I$(K)/svm/$(if $(CONFIG_PROCESS),processes,alone)
arch-cflags += -I$(K)/svm/$(if $(CONFIG_SVM_MIGRATE),moving,fixed)
