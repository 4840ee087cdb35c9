# SPDX-License-Identifier: MIT
needs := $(CONFIG_SVM)
files-y := alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c
# A fault that another core waits for is counted (bench/scc).
fast-y := fault.c own.c show.c
# Whether pages are a guest's memory (keep.h).
files-$(CONFIG_SVM_KEEP) += guest.c keep.c
fast-$(CONFIG_SVM_KEEP) += guest.c keep.c member.c region.c wait.c
defines-$(CONFIG_SVM_KEEP) += SVM_KEEP=1
# Whether a page's frame moves (home.h).
files-$(CONFIG_SVM_MIGRATE) += frame.c move.c
fast-$(CONFIG_SVM_MIGRATE) += frame.c
# Whether the pages may be a process's (outside.h).
files-y += $(if $(CONFIG_PROCESS),free.c outside.c place.c space.c,append.c)
defines-$(CONFIG_PROCESS) += SVM_OUTSIDE=1
defines-$(CONFIG_SVM_MIGRATE) += SVM_MOVES=1
