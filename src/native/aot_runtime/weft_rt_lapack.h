// LAPACK's custom calls as JAX exports them, for ahead-of-time libraries built with --with-lapack: handlers over a liblapack that is
// opened when the library is loaded. This text stands in their generated source, behind weft/custom_call.h's.
#ifndef WEFT_RT_LAPACK_H
#define WEFT_RT_LAPACK_H

// Opens liblapack. 0, or 1 with what went wrong in message.
int weft_rt_lapack_open(char* message, size_t bytes);

// The handler of lapack_?NAME_ffi (getrf, geqrf, orgqr, ungqr, gesdd, syevd, heevd, syevr, heevr, geev, gtsv) and of the portable
// names LuDecomposition, Qr, ProductOfElementaryHouseholderReflectors, householder_product, Eigh, lu_pivots_to_permutation.
int weft_rt_lapack(const weft_call* call);

#endif
