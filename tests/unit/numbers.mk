# SPDX-License-Identifier: MIT
TESTS += numbers
numbers_INCLUDES := guests/include/numbers.h
numbers_FIRST := -I$(ROOT)/guests/include -include /usr/include/string.h
