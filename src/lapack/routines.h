// LAPACK by element type: one overload set per routine over float, double and their complex numbers. Matrices are column-major.
// Source: the LAPACK reference, whose argument order this is; the library is OpenBLAS.
#pragma once
#include <complex>
#include <span>

#include "lapack/batch_call.h"

#define WEFT_LAPACK_REAL(p, T)                                                                                         \
  void p##orgqr_(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,                \
                 const int* lwork, int* info);                                                                         \
  void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, T* vt, \
                 const int* ldvt, T* work, const int* lwork, int* iwork, int* info);                                   \
  void p##syevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,                 \
                 const int* lwork, int* iwork, const int* liwork, int* info);                                          \
  void p##syevr_(const char* job, const char* range, const char* uplo, const int* n, T* a, const int* lda,             \
                 const T* lower, const T* upper, const int* first, const int* last, const T* tolerance, int* found,    \
                 T* w, T* z, const int* ldz, int* support, T* work, const int* lwork, int* iwork, const int* liwork,   \
                 int* info);                                                                                           \
  void p##geev_(const char* left, const char* right, const int* n, T* a, const int* lda, T* wr, T* wi, T* vl,          \
                const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* info);                        \
  void p##gesvd_(const char* u_job, const char* vt_job, const int* m, const int* n, T* a, const int* lda, T* s, T* u,  \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* info);                        \
  void p##gees_(const char* job, const char* sort, const void* select, const int* n, T* a, const int* lda,             \
                int* selected, T* wr, T* wi, T* vs, const int* ldvs, T* work, const int* lwork, int* chosen,           \
                int* info);                                                                                            \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* columns, T* tau, T* work, const int* lwork,    \
                 int* info);                                                                                           \
  void p##sytrd_(const char* uplo, const int* n, T* a, const int* lda, T* d, T* e, T* tau, T* work, const int* lwork,  \
                 int* info);                                                                                           \
  void p##ormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,            \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info);
#define WEFT_LAPACK_COMPLEX(p, T, R)                                                                                   \
  void p##ungqr_(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,                \
                 const int* lwork, int* info);                                                                         \
  void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, R* s, T* u, const int* ldu, T* vt, \
                 const int* ldvt, T* work, const int* lwork, R* rwork, int* iwork, int* info);                         \
  void p##heevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, R* w, T* work,                 \
                 const int* lwork, R* rwork, const int* lrwork, int* iwork, const int* liwork, int* info);             \
  void p##heevr_(const char* job, const char* range, const char* uplo, const int* n, T* a, const int* lda,             \
                 const R* lower, const R* upper, const int* first, const int* last, const R* tolerance, int* found,    \
                 R* w, T* z, const int* ldz, int* support, T* work, const int* lwork, R* rwork, const int* lrwork,     \
                 int* iwork, const int* liwork, int* info);                                                            \
  void p##geev_(const char* left, const char* right, const int* n, T* a, const int* lda, T* w, T* vl, const int* ldvl, \
                T* vr, const int* ldvr, T* work, const int* lwork, R* rwork, int* info);                               \
  void p##gesvd_(const char* u_job, const char* vt_job, const int* m, const int* n, T* a, const int* lda, R* s, T* u,  \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, R* rwork, int* info);              \
  void p##gees_(const char* job, const char* sort, const void* select, const int* n, T* a, const int* lda,             \
                int* selected, T* w, T* vs, const int* ldvs, T* work, const int* lwork, R* rwork, int* chosen,         \
                int* info);                                                                                            \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* columns, T* tau, T* work, const int* lwork,    \
                 R* rwork, int* info);                                                                                 \
  void p##hetrd_(const char* uplo, const int* n, T* a, const int* lda, R* d, R* e, T* tau, T* work, const int* lwork,  \
                 int* info);                                                                                           \
  void p##unmqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,            \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info);
#define WEFT_LAPACK_ANY(p, T)                                                                                        \
  void p##getrf_(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);                          \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info);                                   \
  void p##geqrf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);    \
  void p##gtsv_(const int* n, const int* columns, T* lower, T* diagonal, T* upper, T* b, const int* ldb, int* info); \
  void p##gehrd_(const int* n, const int* low, const int* high, T* a, const int* lda, T* tau, T* work,               \
                 const int* lwork, int* info);                                                                       \
  void p##gttrf_(const int* n, T* lower, T* diagonal, T* upper, T* second, int* pivots, int* info);                  \
  void p##gttrs_(const char* trans, const int* n, const int* columns, const T* lower, const T* diagonal,             \
                 const T* upper, const T* second, const int* pivots, T* b, const int* ldb, int* info);               \
  void p##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n, \
                const T* alpha, const T* a, const int* lda, T* b, const int* ldb);

extern "C" {
WEFT_LAPACK_ANY(s, float)
WEFT_LAPACK_ANY(d, double)
WEFT_LAPACK_ANY(c, std::complex<float>)
WEFT_LAPACK_ANY(z, std::complex<double>)
WEFT_LAPACK_REAL(s, float)
WEFT_LAPACK_REAL(d, double)
WEFT_LAPACK_COMPLEX(c, std::complex<float>, float)
WEFT_LAPACK_COMPLEX(z, std::complex<double>, double)
}

#undef WEFT_LAPACK_ANY
#undef WEFT_LAPACK_REAL
#undef WEFT_LAPACK_COMPLEX

namespace weft::lapack {

/// The routines for element type T, under the names without their first letter.
template <class T>
struct Routines;

#define WEFT_LAPACK_SET(T, p, q_from_reflectors, hermitian, times_q, to_tridiagonal, robust) \
  template <>                                                                                \
  struct Routines<T> {                                                                       \
    static constexpr auto getrf = p##getrf_;                                                 \
    static constexpr auto potrf = p##potrf_;                                                 \
    static constexpr auto geqrf = p##geqrf_;                                                 \
    static constexpr auto orgqr = q_from_reflectors;                                         \
    static constexpr auto gtsv = p##gtsv_;                                                   \
    static constexpr auto trsm = p##trsm_;                                                   \
    static constexpr auto gesdd = p##gesdd_;                                                 \
    static constexpr auto eigen = hermitian;                                                 \
    static constexpr auto robust_eigen = robust;                                             \
    static constexpr auto geev = p##geev_;                                                   \
    static constexpr auto gesvd = p##gesvd_;                                                 \
    static constexpr auto gees = p##gees_;                                                   \
    static constexpr auto geqp3 = p##geqp3_;                                                 \
    static constexpr auto gehrd = p##gehrd_;                                                 \
    static constexpr auto gttrf = p##gttrf_;                                                 \
    static constexpr auto gttrs = p##gttrs_;                                                 \
    static constexpr auto ormqr = times_q;                                                   \
    static constexpr auto sytrd = to_tridiagonal;                                            \
  };
WEFT_LAPACK_SET(float, s, sorgqr_, ssyevd_, sormqr_, ssytrd_, ssyevr_)
WEFT_LAPACK_SET(double, d, dorgqr_, dsyevd_, dormqr_, dsytrd_, dsyevr_)
WEFT_LAPACK_SET(std::complex<float>, c, cungqr_, cheevd_, cunmqr_, chetrd_, cheevr_)
WEFT_LAPACK_SET(std::complex<double>, z, zungqr_, zheevd_, zunmqr_, zhetrd_, zheevr_)
#undef WEFT_LAPACK_SET

/// Those that custom calls name, one for each target and element type.
std::span<const Routine> all_routines();

}  // namespace weft::lapack
