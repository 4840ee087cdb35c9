# SPDX-License-Identifier: MIT
"""What is compiled and how it is looked at: kernels, programs, CD images, static checks. Making what others keep (a Linux, a C library) is artifacts/."""
