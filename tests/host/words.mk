# SPDX-License-Identifier: MIT
# What is compiled by other words than before is built again, though no file of it has changed.
#
# $(eval $(call words_rule,TARGET,WORDS)): TARGET depends on TARGET.words, which is written when it does not hold WORDS.
# Both sides are stripped: make 4.3 reads some files with the end of their last line, and some without.
define words_rule
$(1): $(1).words
$(1).words: $(if $(subst <$(strip $(2))>,,<$(strip $(file <$(1).words))>),other-words) | $(dir $(1))
	$$(file >$$@,$(2))
endef

.PHONY: other-words
other-words:

$(OUT)/:
	@mkdir -p $@
