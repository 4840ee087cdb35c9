// SPDX-License-Identifier: MIT
// streambuf_iterator.h - in place of g++'s, which <iterator> includes and which needs the locales of its library: a
// process has no streams of C++, and so no iterators of their buffers.
