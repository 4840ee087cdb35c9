# SPDX-License-Identifier: MIT
files-y := jacobi.c
files-$(CONFIG_SVM) += stencil.c
vector-y := $(files-y)
