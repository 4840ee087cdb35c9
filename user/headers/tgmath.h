/* SPDX-License-Identifier: MIT */
/*
 * tgmath.h - type-generic names of math.h and complex.h (C17 7.25), by _Generic.
 *
 * picolibc has few functions of long double; a call with such an argument of any other is an error when it is compiled.
 */
#ifndef AMALGAM_TGMATH_H
#define AMALGAM_TGMATH_H

#include <complex.h>
#include <math.h>

extern long double amalgam_tg_none(long double, ...)
    __attribute__((__error__("the C library has no such function of long double: convert the argument to double")));

/* clang-format off: it does not know _Generic */
/* A zero of the type that an argument counts as: an integer is a double. */
#define __TG(x)                                                                                                        \
    _Generic((x), float                                                                                                \
             : (float)0, long double                                                                                   \
             : (long double)0, float _Complex                                                                          \
             : (float _Complex)0, double _Complex                                                                      \
             : (double _Complex)0, long double _Complex                                                                \
             : (long double _Complex)0, default                                                                        \
             : (double)0)
#define __TG_REAL(fn, type)      _Generic(type, float : fn##f, long double : amalgam_tg_none, default : fn)
#define __TG_REAL_LONG(fn, type) _Generic(type, float : fn##f, long double : fn##l, default : fn)
#define __TG_BOTH(fn, cn, type)                                                                                        \
    _Generic(type, float                                                                                               \
             : fn##f, long double                                                                                      \
             : amalgam_tg_none, float _Complex                                                                         \
             : cn##f, double _Complex                                                                                  \
             : cn, default                                                                                             \
             : fn)
#define __TG_BOTH_LONG(fn, cn, type)                                                                                   \
    _Generic(type, float                                                                                               \
             : fn##f, long double                                                                                      \
             : fn##l, float _Complex                                                                                   \
             : cn##f, double _Complex                                                                                  \
             : cn, long double _Complex                                                                                \
             : cn##l, default                                                                                          \
             : fn)
#define __TG_COMPLEX(cn, type)                                                                                         \
    _Generic(type, float                                                                                               \
             : cn##f, float _Complex                                                                                   \
             : cn##f, long double                                                                                      \
             : cn##l, long double _Complex                                                                             \
             : cn##l, default                                                                                          \
             : cn)
#define __TG_FABS(type)                                                                                                \
    _Generic(type, float                                                                                               \
             : fabsf, long double                                                                                      \
             : __builtin_fabsl, float _Complex                                                                         \
             : cabsf, double _Complex                                                                                  \
             : cabs, long double _Complex                                                                              \
             : cabsl, default                                                                                          \
             : fabs)
#define __TG1(fn, x)               __TG_REAL(fn, __TG(x))(x)
#define __TG2(fn, x, y)            __TG_REAL(fn, __TG(x) + __TG(y))(x, y)
#define __TGC(fn, x)               __TG_BOTH(fn, c##fn, __TG(x))(x)
#define __TG_DOUBLE_COMPLEX(cn, x) _Generic(__TG(x), float : cn##f, float _Complex : cn##f, default : cn)(x)
/* clang-format on */

#define acos(x)   __TGC(acos, x)
#define asin(x)   __TGC(asin, x)
#define atan(x)   __TGC(atan, x)
#define acosh(x)  __TGC(acosh, x)
#define asinh(x)  __TGC(asinh, x)
#define atanh(x)  __TGC(atanh, x)
#define cos(x)    __TGC(cos, x)
#define sin(x)    __TGC(sin, x)
#define tan(x)    __TGC(tan, x)
#define cosh(x)   __TGC(cosh, x)
#define sinh(x)   __TGC(sinh, x)
#define tanh(x)   __TGC(tanh, x)
#define exp(x)    __TGC(exp, x)
#define log(x)    __TGC(log, x)
#define pow(x, y) __TG_BOTH(pow, cpow, __TG(x) + __TG(y))(x, y)
#define sqrt(x)   __TG_BOTH_LONG(sqrt, csqrt, __TG(x))(x)
#define fabs(x)   __TG_FABS(__TG(x))(x)

#define atan2(x, y)      __TG2(atan2, x, y)
#define cbrt(x)          __TG1(cbrt, x)
#define ceil(x)          __TG1(ceil, x)
#define copysign(x, y)   __TG_REAL_LONG(copysign, __TG(x) + __TG(y))(x, y)
#define erf(x)           __TG1(erf, x)
#define erfc(x)          __TG1(erfc, x)
#define exp2(x)          __TG1(exp2, x)
#define expm1(x)         __TG1(expm1, x)
#define fdim(x, y)       __TG2(fdim, x, y)
#define floor(x)         __TG1(floor, x)
#define fma(x, y, z)     __TG_REAL(fma, __TG(x) + __TG(y) + __TG(z))(x, y, z)
#define fmax(x, y)       __TG2(fmax, x, y)
#define fmin(x, y)       __TG2(fmin, x, y)
#define fmod(x, y)       __TG2(fmod, x, y)
#define frexp(x, to)     __TG_REAL_LONG(frexp, __TG(x))(x, to)
#define hypot(x, y)      __TG_REAL_LONG(hypot, __TG(x) + __TG(y))(x, y)
#define ilogb(x)         __TG1(ilogb, x)
#define ldexp(x, n)      __TG_REAL(ldexp, __TG(x))(x, n)
#define lgamma(x)        __TG1(lgamma, x)
#define llrint(x)        __TG1(llrint, x)
#define llround(x)       __TG1(llround, x)
#define log10(x)         __TG1(log10, x)
#define log1p(x)         __TG1(log1p, x)
#define log2(x)          __TG1(log2, x)
#define logb(x)          __TG1(logb, x)
#define lrint(x)         __TG1(lrint, x)
#define lround(x)        __TG1(lround, x)
#define nearbyint(x)     __TG1(nearbyint, x)
#define nextafter(x, y)  __TG2(nextafter, x, y)
#define remainder(x, y)  __TG2(remainder, x, y)
#define remquo(x, y, to) __TG_REAL(remquo, __TG(x) + __TG(y))(x, y, to)
#define rint(x)          __TG1(rint, x)
#define round(x)         __TG1(round, x)
#define scalbln(x, n)    __TG_REAL(scalbln, __TG(x))(x, n)
#define scalbn(x, n)     __TG_REAL(scalbn, __TG(x))(x, n)
#define tgamma(x)        __TG1(tgamma, x)
#define trunc(x)         __TG1(trunc, x)
#define carg(x)          __TG_DOUBLE_COMPLEX(carg, x)
#define cimag(x)         __TG_COMPLEX(cimag, __TG(x))(x)
#define conj(x)          __TG_DOUBLE_COMPLEX(conj, x)
#define cproj(x)         __TG_COMPLEX(cproj, __TG(x))(x)
#define creal(x)         __TG_COMPLEX(creal, __TG(x))(x)

#endif
