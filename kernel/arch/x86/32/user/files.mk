# SPDX-License-Identifier: MIT
files-y := copy.S entry.S signal.c space.c user.c
files-$(CONFIG_SVM) += aperture.c
# A process's call is counted (bench/process).
fast-y := user.c
