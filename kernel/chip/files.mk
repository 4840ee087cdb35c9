# SPDX-License-Identifier: MIT
calls-y := scc
files-y := chip.c mail.c svm.c
