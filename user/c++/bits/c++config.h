/* SPDX-License-Identifier: MIT */
/*
 * bits/c++config.h - the compiler's, without what is not here: threads of libstdc++, Linux' futexes, some of C99, and
 * templates that were compiled before (std::string).
 */
#pragma GCC system_header
#include_next <bits/c++config.h>

#undef _GLIBCXX_HAS_GTHREADS
#undef _GLIBCXX_HAVE_LINUX_FUTEX
#undef _GLIBCXX_HAVE_TIMESPEC_GET
#undef _GLIBCXX_USE_C99_MATH_TR1
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
