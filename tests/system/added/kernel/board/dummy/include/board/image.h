/* SPDX-License-Identifier: MIT */
/* board/image.h (dummy) - memory is mapped as on a PC. */
#include "../../../pc/include/board/image.h"
