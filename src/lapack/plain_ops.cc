#include "lapack/plain_ops.h"

#include <string>

#include "lapack/matrix.h"
#include "ops/foreign/call_handlers.h"

namespace weft::lapack {
namespace {

using enum ElementType;

/// Whether the target is lapack_?NAME_ffi with the letter of this element type.
bool is_call(std::string_view target, std::string_view name, ElementType e) {
  const char letter = e == kF32 ? 's' : e == kF64 ? 'd' : e == kC64 ? 'c' : e == kC128 ? 'z' : '?';
  return target == "lapack_" + std::string(1, letter) + std::string(name) + "_ffi";
}

bool is_square(Type t) { return t.rank() >= 2 && t.dim(t.rank() - 1) == t.dim(t.rank() - 2); }

/// row DIRECTION column, for each matrix of the shape.
Value where(OpBuilder& b, std::span<const int64_t> shape, std::string_view direction) {
  const auto rank = static_cast<int64_t>(shape.size());
  const Type square = Type::tensor(kI32, {shape.back(), shape.back()});
  const int64_t axes[] = {rank - 2, rank - 1};
  return b.broadcast_in_dim(b.compare(b.iota(square, 0), b.iota(square, 1), direction), axes, shape);
}

std::optional<std::vector<Value>> solve(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type a = b.type(operands[0]), given = b.type(operands[1]);
  const char side = letter(op, "side", 'L'), trans = letter(op, "trans_x", 'N');
  if (!is_square(a) || a.rank() != given.rank() || op.result_type() != given) return std::nullopt;
  for (int64_t d = 0; d + 2 < a.rank(); ++d) {
    if (a.dim(d) != given.dim(d)) return std::nullopt;
  }
  if (given.dim(given.rank() - (side == 'L' ? 2 : 1)) != a.dim(a.rank() - 1)) return std::nullopt;
  return b.create("stablehlo.triangular_solve", operands,
                  Attrs{{"left_side", side == 'L'},
                        {"lower", letter(op, "uplo", 'L') == 'L'},
                        {"unit_diagonal", letter(op, "diag", 'N') == 'U'},
                        {"transpose_a", trans == 'N'   ? "NO_TRANSPOSE"
                                        : trans == 'T' ? "TRANSPOSE"
                                                       : "ADJOINT"}});
}

std::optional<std::vector<Value>> factor(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type a = b.type(operands[0]);
  if (!is_square(a) || op.result_type(0) != a || op.result_type(1).element_type() != kI32 ||
      op.result_type(1).rank() + 2 != a.rank())
    return std::nullopt;
  const bool lower = letter(op, "uplo", 'L') == 'L';
  const int64_t rank = a.rank();
  if (a.num_elements() == 0) return std::vector<Value>{operands[0], b.zeros(op.result_type(1))};
  const Value l = b.make("stablehlo.cholesky", {operands[0]}, Attrs{{"lower", lower}});
  const Value whole = b.select(where(b, a.shape(), lower ? "GE" : "LE"), l, operands[0]);
  // The first column, from 1, with NaN on the diagonal: where LAPACK gives up.
  const Value number = is_complex(a.element_type()) ? b.make("stablehlo.real", {l}) : l;
  const Value failed = b.logical_and(where(b, a.shape(), "EQ"), b.compare(number, number, "NE"));
  const Type index = a.with_element(kI32);
  const double none = static_cast<double>(a.dim(rank - 1)) + 1;
  const Value column = b.add(b.iota(index, rank - 1), b.splat(index, 1));
  const int64_t matrix[] = {rank - 2, rank - 1};
  const Value first =
      b.reduce(b.select(failed, column, b.splat(index, none)), matrix, "stablehlo.minimum", b.scalar(kI32, none));
  const Type info = b.type(first);
  return std::vector<Value>{whole, b.select(b.compare(first, b.splat(info, none), "EQ"), b.zeros(info), first)};
}

}  // namespace

std::optional<std::vector<Value>> as_plain_ops(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  if (op.def().mnemonic != "stablehlo.custom_call" || operands.empty()) return std::nullopt;
  for (Value v : operands) {
    if (!b.type(v).is_tensor() || !b.type(v).is_static() || b.type(v).is_quantized()) return std::nullopt;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_tensor() || !op.result_type(i).is_static()) return std::nullopt;
  }
  const std::string target = op.attrs().text_or("call_target_name", "");
  const ElementType e = b.type(operands[0]).element_type();
  const bool solves = is_call(target, "trsm", e) && operands.size() == 2 && op.num_results() == 1;
  const bool factors = is_call(target, "potrf", e) && operands.size() == 1 && op.num_results() == 2;
  if ((!solves && !factors) || registered_handler(target)) return std::nullopt;
  return solves ? solve(b, op, operands) : factor(b, op, operands);
}

}  // namespace weft::lapack
