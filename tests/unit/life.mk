# SPDX-License-Identifier: MIT
TESTS += life
life_SRC :=
