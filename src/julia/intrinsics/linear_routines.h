// LAPACK and BLAS routines beside those of lapack/routines.h, by element type. Source: the LAPACK reference.
#pragma once
#include <complex>

#include "lapack/routines.h"

#define WEFT_LINEAR_ANY(p, T, R)                                                                                      \
  void p##gemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha, const T* a, \
                const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc);                     \
  void p##gemv_(const char* ta, const int* m, const int* n, const T* alpha, const T* a, const int* lda, const T* x,   \
                const int* incx, const T* beta, T* y, const int* incy);                                               \
  void p##trmm_(const char* side, const char* uplo, const char* ta, const char* diag, const int* m, const int* n,     \
                const T* alpha, const T* a, const int* lda, T* b, const int* ldb);                                    \
  void p##getrs_(const char* ta, const int* n, const int* nrhs, const T* a, const int* lda, const int* ipiv, T* b,    \
                 const int* ldb, int* info);                                                                          \
  void p##getri_(const int* n, T* a, const int* lda, const int* ipiv, T* work, const int* lwork, int* info);          \
  void p##potrs_(const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda, T* b, const int* ldb,   \
                 int* info);                                                                                          \
  void p##potri_(const char* uplo, const int* n, T* a, const int* lda, int* info);                                    \
  void p##pstrf_(const char* uplo, const int* n, T* a, const int* lda, int* piv, int* rank, const R* tol, R* work,    \
                 int* info);                                                                                          \
  void p##sytrf_(const char* uplo, const int* n, T* a, const int* lda, int* ipiv, T* work, const int* lwork,          \
                 int* info);                                                                                          \
  void p##sytrs_(const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda, const int* ipiv, T* b,  \
                 const int* ldb, int* info);                                                                          \
  void p##geqrt_(const int* m, const int* n, const int* nb, T* a, const int* lda, T* t, const int* ldt, T* work,      \
                 int* info);                                                                                          \
  void p##gemqrt_(const char* side, const char* trans, const int* m, const int* n, const int* k, const int* nb,       \
                  const T* v, const int* ldv, const T* t, const int* ldt, T* c, const int* ldc, T* work, int* info);  \
  void p##gelqf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);     \
  void p##trtrs_(const char* uplo, const char* ta, const char* diag, const int* n, const int* nrhs, const T* a,       \
                 const int* lda, T* b, const int* ldb, int* info);                                                    \
  void p##trtri_(const char* uplo, const char* diag, const int* n, T* a, const int* lda, int* info);                  \
  void p##trsyl_(const char* ta, const char* tb, const int* sign, const int* m, const int* n, const T* a,             \
                 const int* lda, const T* b, const int* ldb, T* c, const int* ldc, R* scale, int* info);
#define WEFT_LINEAR_REAL(p, T)                                                                                       \
  T p##dot_(const int* n, const T* x, const int* incx, const T* y, const int* incy);                                 \
  void p##syrk_(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha, const T* a,         \
                const int* lda, const T* beta, T* c, const int* ldc);                                                \
  void p##ormlq_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,          \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info);          \
  void p##orghr_(const int* n, const int* lo, const int* hi, T* a, const int* lda, const T* tau, T* work,            \
                 const int* lwork, int* info);                                                                       \
  void p##gelsy_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb, int* jpvt, \
                 const T* rcond, int* rank, T* work, const int* lwork, int* info);                                   \
  void p##geevx_(const char* balance, const char* jobvl, const char* jobvr, const char* sense, const int* n, T* a,   \
                 const int* lda, T* wr, T* wi, T* vl, const int* ldvl, T* vr, const int* ldvr, int* lo, int* hi,     \
                 T* scale, T* abnrm, T* rconde, T* rcondv, T* work, const int* lwork, int* iwork, int* info);        \
  void p##syevr_(const char* job, const char* range, const char* uplo, const int* n, T* a, const int* lda,           \
                 const T* vl, const T* vu, const int* il, const int* iu, const T* abstol, int* m, T* w, T* z,        \
                 const int* ldz, int* isuppz, T* work, const int* lwork, int* iwork, const int* liwork, int* info);  \
  void p##stev_(const char* job, const int* n, T* d, T* e, T* z, const int* ldz, T* work, int* info);                \
  void p##stein_(const int* n, const T* d, const T* e, const int* m, const T* w, const int* block, const int* split, \
                 T* z, const int* ldz, T* work, int* iwork, int* ifail, int* info);                                  \
  void p##stegr_(const char* job, const char* range, const int* n, T* d, T* e, const T* vl, const T* vu,             \
                 const int* il, const int* iu, const T* abstol, int* m, T* w, T* z, const int* ldz, int* isuppz,     \
                 T* work, const int* lwork, int* iwork, const int* liwork, int* info);                               \
  void p##ggev3_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* b, const int* ldb,     \
                 T* alphar, T* alphai, T* beta, T* vl, const int* ldvl, T* vr, const int* ldvr, T* work,             \
                 const int* lwork, int* info);                                                                       \
  void p##sygvd_(const int* itype, const char* job, const char* uplo, const int* n, T* a, const int* lda, T* b,      \
                 const int* ldb, T* w, T* work, const int* lwork, int* iwork, const int* liwork, int* info);         \
  void p##gecon_(const char* norm, const int* n, const T* a, const int* lda, const T* anorm, T* rcond, T* work,      \
                 int* iwork, int* info);
#define WEFT_LINEAR_COMPLEX(p, T, R)                                                                                 \
  void p##herk_(const char* uplo, const char* trans, const int* n, const int* k, const R* alpha, const T* a,         \
                const int* lda, const R* beta, T* c, const int* ldc);                                                \
  void p##hetrf_(const char* uplo, const int* n, T* a, const int* lda, int* ipiv, T* work, const int* lwork,         \
                 int* info);                                                                                         \
  void p##hetrs_(const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda, const int* ipiv, T* b, \
                 const int* ldb, int* info);                                                                         \
  void p##unmlq_(const char* side, const char* trans, const int* m, const int* n, const int* k, const T* a,          \
                 const int* lda, const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info);          \
  void p##unghr_(const int* n, const int* lo, const int* hi, T* a, const int* lda, const T* tau, T* work,            \
                 const int* lwork, int* info);                                                                       \
  void p##gelsy_(const int* m, const int* n, const int* nrhs, T* a, const int* lda, T* b, const int* ldb, int* jpvt, \
                 const R* rcond, int* rank, T* work, const int* lwork, R* rwork, int* info);                         \
  void p##geevx_(const char* balance, const char* jobvl, const char* jobvr, const char* sense, const int* n, T* a,   \
                 const int* lda, T* w, T* vl, const int* ldvl, T* vr, const int* ldvr, int* lo, int* hi, R* scale,   \
                 R* abnrm, R* rconde, R* rcondv, T* work, const int* lwork, R* rwork, int* info);                    \
  void p##heevr_(const char* job, const char* range, const char* uplo, const int* n, T* a, const int* lda,           \
                 const R* vl, const R* vu, const int* il, const int* iu, const R* abstol, int* m, R* w, T* z,        \
                 const int* ldz, int* isuppz, T* work, const int* lwork, R* rwork, const int* lrwork, int* iwork,    \
                 const int* liwork, int* info);                                                                      \
  void p##ggev3_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* b, const int* ldb,     \
                 T* alpha, T* beta, T* vl, const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork,       \
                 R* rwork, int* info);                                                                               \
  void p##hegvd_(const int* itype, const char* job, const char* uplo, const int* n, T* a, const int* lda, T* b,      \
                 const int* ldb, R* w, T* work, const int* lwork, R* rwork, const int* lrwork, int* iwork,           \
                 const int* liwork, int* info);                                                                      \
  void p##gecon_(const char* norm, const int* n, const T* a, const int* lda, const R* anorm, R* rcond, T* work,      \
                 R* rwork, int* info);

extern "C" {
WEFT_LINEAR_ANY(s, float, float)
WEFT_LINEAR_ANY(d, double, double)
WEFT_LINEAR_ANY(c, std::complex<float>, float)
WEFT_LINEAR_ANY(z, std::complex<double>, double)
WEFT_LINEAR_REAL(s, float)
WEFT_LINEAR_REAL(d, double)
WEFT_LINEAR_COMPLEX(c, std::complex<float>, float)
WEFT_LINEAR_COMPLEX(z, std::complex<double>, double)
float snrm2_(const int* n, const float* x, const int* incx);
double dnrm2_(const int* n, const double* x, const int* incx);
float scnrm2_(const int* n, const std::complex<float>* x, const int* incx);
double dznrm2_(const int* n, const std::complex<double>* x, const int* incx);
}

#undef WEFT_LINEAR_ANY
#undef WEFT_LINEAR_REAL
#undef WEFT_LINEAR_COMPLEX

namespace weft::julia {

/// The routines for element type T, under the names without their first letter; those that real and complex numbers call
/// differently by the real name.
template <class T>
struct Linear;

#define WEFT_LINEAR_SET(T, p, q)               \
  template <>                                  \
  struct Linear<T> : lapack::Routines<T> {     \
    static constexpr auto gemm = p##gemm_;     \
    static constexpr auto gemv = p##gemv_;     \
    static constexpr auto trmm = p##trmm_;     \
    static constexpr auto getrs = p##getrs_;   \
    static constexpr auto getri = p##getri_;   \
    static constexpr auto potrs = p##potrs_;   \
    static constexpr auto potri = p##potri_;   \
    static constexpr auto pstrf = p##pstrf_;   \
    static constexpr auto sytrf = p##sytrf_;   \
    static constexpr auto sytrs = p##sytrs_;   \
    static constexpr auto geqrt = p##geqrt_;   \
    static constexpr auto gemqrt = p##gemqrt_; \
    static constexpr auto gelqf = p##gelqf_;   \
    static constexpr auto trtrs = p##trtrs_;   \
    static constexpr auto trtri = p##trtri_;   \
    static constexpr auto trsyl = p##trsyl_;   \
    static constexpr auto gelsy = p##gelsy_;   \
    static constexpr auto geevx = p##geevx_;   \
    static constexpr auto ggev3 = p##ggev3_;   \
    static constexpr auto gecon = p##gecon_;   \
    static constexpr auto nrm2 = q##nrm2_;     \
    WEFT_LINEAR_##p                            \
  };
#define WEFT_LINEAR_MEMBERS(rk, trf, trs, mlq, ghr, evr, gvd) \
  static constexpr auto rank_update = rk;                     \
  static constexpr auto hetrf = trf;                          \
  static constexpr auto hetrs = trs;                          \
  static constexpr auto ormlq = mlq;                          \
  static constexpr auto orghr = ghr;                          \
  static constexpr auto syevr = evr;                          \
  static constexpr auto sygvd = gvd;
#define WEFT_LINEAR_REAL_MEMBERS(inner, ev, egr, ein) \
  static constexpr auto stein = ein;                  \
  static constexpr auto dot = inner;                  \
  static constexpr auto stev = ev;                    \
  static constexpr auto stegr = egr;
#define WEFT_LINEAR_s                                                               \
  WEFT_LINEAR_MEMBERS(ssyrk_, ssytrf_, ssytrs_, sormlq_, sorghr_, ssyevr_, ssygvd_) \
  WEFT_LINEAR_REAL_MEMBERS(sdot_, sstev_, sstegr_, sstein_)
#define WEFT_LINEAR_d                                                               \
  WEFT_LINEAR_MEMBERS(dsyrk_, dsytrf_, dsytrs_, dormlq_, dorghr_, dsyevr_, dsygvd_) \
  WEFT_LINEAR_REAL_MEMBERS(ddot_, dstev_, dstegr_, dstein_)
#define WEFT_LINEAR_c WEFT_LINEAR_MEMBERS(cherk_, chetrf_, chetrs_, cunmlq_, cunghr_, cheevr_, chegvd_)
#define WEFT_LINEAR_z WEFT_LINEAR_MEMBERS(zherk_, zhetrf_, zhetrs_, zunmlq_, zunghr_, zheevr_, zhegvd_)
WEFT_LINEAR_SET(float, s, s)
WEFT_LINEAR_SET(double, d, d)
WEFT_LINEAR_SET(std::complex<float>, c, sc)
WEFT_LINEAR_SET(std::complex<double>, z, dz)
#undef WEFT_LINEAR_SET
#undef WEFT_LINEAR_MEMBERS
#undef WEFT_LINEAR_REAL_MEMBERS
#undef WEFT_LINEAR_s
#undef WEFT_LINEAR_d
#undef WEFT_LINEAR_c
#undef WEFT_LINEAR_z

}  // namespace weft::julia
