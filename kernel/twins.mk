# SPDX-License-Identifier: MIT
# twins.mk - a kernel whose guests run by either of two back ends, which the processor decides at boot (read by Makefile).
#
# Most of what knows the record of a virtual processor does so in line, in a way of each back end. So these files are compiled twice,
# each time with the headers of one back end, and the two sets have names of their own: all global names of the other set end in __vtx,
# and those of the first that the rest of the kernel calls in __amdv. Calls inside of a set are direct, and are optimized with all else.
# The rest is compiled once, with a record of which it knows the size and nothing more (arch/x86/either/include). What it calls of a
# set are jumps with the name alone: they lead into the first set, and vmx/either.c turns them to the other where the processor has
# VT-x. tools/amalgam/build/twins.py makes them, and refuses a name that is called and in no list, and one that is not called;
# twin-alone are those of the other set alone that are called from outside of it.
sets := $(call clean,$(twice))
first-objects := $(patsubst %,$(OUT)/%.o,$(sets) $(call clean,$(first)))
other-objects := $(patsubst %,$(OUT)/other/%.o,$(sets) $(call clean,$(other)))
once-objects := $(filter-out $(first-objects),$(objects))
objects += $(other-objects)
other-names := $(OUT)/include/generated/other_names.h
twin-jumps := $(OUT)/twins.S.o
twins := $(PYTHON) $(ROOT)/tools/amalgam/build/twins.py

# A list of names below needs all objects of a set, and make hands what it compiles one object with to what that one needs: so each object
# of the first set has flags of its own.
$(first-objects): CFLAGS := $(CFLAGS)
$(once-objects): twin-flags := -I$(A)/either/include
$(first-objects): twin-flags := $(foreach name,$(twin-calls) $(twin-init-calls),-D$(name)=$(name)__amdv)
$(other-objects): twin-flags := -I$(A)/vmx/include -include $(other-names)
# Where copies are equal the compiler keeps one, which is then called from both sets; not of these, whose ways are counted.
$(foreach file,$(twin-apart),$(OUT)/$(file).o $(OUT)/other/$(file).o): twin-flags += -fno-ipa-icf

$(OUT)/other/%.c.o: $(K)/%.c $(other-names) $(CONFIG) $(K)/Makefile $(A)/arch.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(twin-flags) $(CFLAGS) -c $< -o $@

# The lists of names, and of the files that are in a set: one that was compiled once, or in another set, is compiled anew.
$(filter %.c.o,$(objects)): $(K)/twins.mk $(addprefix $(K)/,$(addsuffix /files.mk,vm vm/pc arch/x86/amdv arch/x86/vmx))

# The header changes where a name does, and not with each file of the set: else all of the other set would be compiled anew.
$(OUT)/first.nm: $(first-objects)
	$(Q)$(CONFIG_CROSS_COMPILE:"%"=%)gcc-nm -g $^ >$@
	@mkdir -p $(dir $(other-names))
	$(Q)$(twins) names <$@ >$(other-names).new
	$(Q)if cmp -s $(other-names).new $(other-names); then rm $(other-names).new; else mv $(other-names).new $(other-names); fi
$(other-names): $(OUT)/first.nm ;
$(OUT)/other.nm: $(other-objects)
$(OUT)/once.nm: $(once-objects)
$(OUT)/other.nm $(OUT)/once.nm:
	$(Q)$(CONFIG_CROSS_COMPILE:"%"=%)gcc-nm -g $^ >$@
twin-lists := $(foreach set,first other once,$(OUT)/$(set).nm)
$(OUT)/twins.S: $(twin-lists) $(ROOT)/tools/amalgam/build/twins.py $(K)/twins.mk
	$(Q)$(twins) jumps $(twin-lists) --stay $(twin-calls) --init $(twin-init-calls) --alone $(twin-alone) >$@
$(OUT)/twins.S.o: $(OUT)/twins.S
	$(Q)$(CC) $(arch-cflags) -fno-pic -c $< -o $@
