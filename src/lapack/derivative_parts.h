// What the derivatives of LAPACK's calls are made of.
#pragma once
#include <array>
#include <string>

#include "ops/record.h"

namespace weft::lapack {

inline int64_t rows_of(Type t) { return t.dim(t.rank() - 2); }
inline int64_t columns_of(Type t) { return t.dim(t.rank() - 1); }
std::string target_of(const OpView& op);

/// Throws Unsupported unless all operands are static tensors.
void expect_static(const OpView& op);
/// Refuses where something depends on a result that has no rule of its own.
void expect_unused(LinearizeContext& context, const OpView& op, size_t result, const char* what);
/// The attributes with one letter of the call's configuration changed.
Attrs with_letter(const OpView& op, std::string_view name, char letter);
/// 1/x of real numbers, and 0 for 0.
Value inverse_or_zero(OpBuilder& b, Value x);

/// T·V₁ᴴ, where 1 - V·T·Vᴴ is the product of the reflectors 1 - τ·v·vᴴ and V₁ the first `columns` rows of V: T⁻¹ = D⁻¹ + the upper part of
/// Vᴴ·V, where D holds τ.
Value reflector_factor(OpBuilder& b, Value v, Value tau, int64_t columns);
/// The reflectors below the diagonal, with the ones on it.
Value reflectors(OpBuilder& b, Value packed, int64_t k);
/// Tangents of the packed reflectors and r of a matrix, and of τ, from that of the matrix.
std::array<Value, 2> reflector_tangents(LinearizeContext& context, Value packed_qr, Value tau, Value tangent);

// Rules of general_derivatives.cc.
Linearized linearize_geev(LinearizeContext&, const OpView&, std::span<const Value> primals,
                          std::span<const Value> tangents);
Linearized linearize_tridiagonal(LinearizeContext&, const OpView&, std::span<const Value> primals,
                                 std::span<const Value> tangents);
Linearized linearize_geqp3(LinearizeContext&, const OpView&, std::span<const Value> primals,
                           std::span<const Value> tangents);
Linearized linearize_ormqr(LinearizeContext&, const OpView&, std::span<const Value> primals,
                           std::span<const Value> tangents);
/// Says why there is none for reductions to Schur, Hessenberg and tridiagonal form, and what to use.
Linearized refuse_reduction(LinearizeContext&, const OpView&, std::span<const Value> primals,
                            std::span<const Value> tangents);

}  // namespace weft::lapack
