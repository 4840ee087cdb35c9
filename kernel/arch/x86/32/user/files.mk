# SPDX-License-Identifier: MIT
files-y := copy.S entry.S space.c user.c
files-$(CONFIG_SVM) += window.c
# A process's call is counted (bench/process).
fast-y := user.c
