# SPDX-License-Identifier: MIT
# Each folder says itself whether a shape has it (`needs`); of architectures and boards there is one. What others stand on is
# linked first: another order moves code, and a few bytes of alignment with it.
folders := $(patsubst $(K)/%/files.mk,%,$(sort $(wildcard $(K)/*/files.mk)))
dirs-y := $(filter core lib,$(folders)) arch/$(ARCH) board/$(BOARD) $(filter process,$(folders)) $(filter-out core lib process,$(folders))
