// A Broadcasted value as a tree of calls over leaves, with its shape.
#pragma once
#include <memory>
#include <optional>

#include "julia/intrinsics/elementwise.h"
#include "julia/intrinsics/reader.h"

namespace weft::julia {

/// One call of a fused broadcast, or a leaf of it.
struct BroadcastTerm {
  Value function;  // undefined: a leaf
  std::vector<BroadcastTerm> arguments;
  Value value;                     // of a leaf: what is under a Ref, an array, a tuple, or a scalar
  std::unique_ptr<Reader> reader;  // of a leaf; null: a scalar
  bool is_leaf() const { return !function.is_defined(); }
};

/// Numbers, strings and such, which take part as they are.
bool is_scalar(const Value& v);
bool is_broadcasted(const Value& v);
BroadcastTerm broadcast_term(Evaluator& e, const Value& v);
BroadcastTerm broadcast_call(Evaluator& e, const Value& f, std::span<const Value> arguments);
/// The common shape of all leaves; throws Julia's DimensionMismatch.
std::vector<int64_t> broadcast_shape(const BroadcastTerm& term);
/// Throws when the leaves do not extend to a destination's shape.
void check_destination(const BroadcastTerm& term, const std::vector<int64_t>& dims);

/// The value at 0-based indices.
Value evaluate_term(Evaluator& e, const BroadcastTerm& term, const std::vector<int64_t>& index);
/// The same as a tree of known functions; -1 when some of it is not known.
Elementwise::Node elementwise_term(Elementwise& tree, const BroadcastTerm& term);
/// What the call gives for samples of the leaves' elements; undefined: unknown.
Value term_sample(Evaluator& e, const BroadcastTerm& term);

/// Whether storing into the destination may change what a leaf reads at another place.
bool may_share(const BroadcastTerm& term, const Value& destination);

/// Column-major walk over a box of indices.
template <class F>
void for_each_index(const std::vector<int64_t>& dims, F&& visit) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    visit(i, index);
    for (size_t d = 0; d < dims.size() && ++index[d] == dims[d]; ++d) index[d] = 0;
  }
}

/// All elements in a new array; Bool ones in a BitArray when asked.
Value collect_term(Evaluator& e, const BroadcastTerm& term, const std::vector<int64_t>& dims, bool bits);

}  // namespace weft::julia
