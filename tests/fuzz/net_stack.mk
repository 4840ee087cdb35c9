# SPDX-License-Identifier: MIT
# lwIP is fetched, and compiled with this compiler; frames need no right checksums.
FUZZERS += net_stack
net_stack_SRC := user/net/port/sum.c user/net/port/segment.c user/net/port/random.c
net_stack_LWIP := $(OUT)/liblwip.a
net_stack_OPTIONS := -D_GNU_SOURCE -D_NETDB_H -DLWIP_STATS=1 -DMEM_STATS=1 -DMEMP_STATS=1 $(foreach p,IP UDP TCP ICMP ICMP6,-DCHECKSUM_CHECK_$(p)=0)
net_stack_INCLUDES := -I$(ROOT)/user/net/port -I$(ROOT)/user/net/include -I$(OUT)/lwip-include
net_stack_CFLAGS := $(net_stack_OPTIONS) -Wl,--whole-archive $(net_stack_LWIP) -Wl,--no-whole-archive
net_stack_MAX_LEN := 2048
net_stack_ARGS := -len_control=0
$(OUT)/fuzz_net_stack: $(net_stack_LWIP)
$(net_stack_LWIP): $(ROOT)/tools/amalgam/artifacts/net.py $(wildcard $(ROOT)/user/net/port/*.[ch] $(ROOT)/user/net/port/*/*.h $(ROOT)/user/net/include/*/*.h)
	@mkdir -p $(OUT)
	cd $(ROOT)/tools && $(PYTHON) -m amalgam.artifacts.net $(OUT) $(CLANG) -O1 -g -fsanitize=fuzzer-no-link,address $(net_stack_OPTIONS)
