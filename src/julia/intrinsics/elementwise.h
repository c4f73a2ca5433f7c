// Trees of scalar functions over machine numbers, evaluated by chunks of elements: what a fused broadcast, a map or the function
// of a reduction becomes when all of it is known.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "julia/intrinsics/kernels.h"
#include "julia/intrinsics/strided.h"

namespace weft::julia {

class Elementwise {
 public:
  static constexpr int64_t kChunk = 1024;
  using Node = int;

  /// Shape of the result; leaves are extended to it where they have extent 1 or fewer dimensions.
  explicit Elementwise(std::vector<int64_t> dims);

  /// -1: not something that is known here.
  Node leaf(const Value& v);                                    ///< a number, or an array or range of them
  Node apply(const Value& f, std::span<const Node> arguments);  ///< a function, type, Fix, or composition of them
  Node convert(Node node, NumberKind to);
  Node literal_power(Node base, const Value& exponent);  ///< exponent: Val(n)

  NumberKind kind(Node node) const { return nodes_[static_cast<size_t>(node)].kind; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t length() const { return length_; }
  /// Arrays among the leaves.
  const std::vector<Strided>& arrays() const { return arrays_; }
  /// Copies of arrays that share memory with a destination at other places than those written.
  void keep_apart_from(const Strided& destination);
  bool reads(const Strided& memory) const;  ///< whether an array among the leaves lies in the same memory

  /// Whether an element may need the function itself.
  bool may_fail(Node node) const;
  /// Elements [start, start + n) of a node, n at most kChunk; null when some element needs the function itself.
  const void* evaluate(Node node, int64_t start, int64_t n);

 private:
  struct Part {
    enum class What : uint8_t { kConstant, kArray, kRange, kKernel } what = What::kConstant;
    NumberKind kind = NumberKind::kBool;
    Value constant;          // kConstant, kRange
    size_t array = 0;        // kArray: index of arrays_
    bool is_direct = false;  // kArray: its memory as it lies
    Kernel kernel;
    Node arguments[Kernel::kMostArguments] = {-1, -1, -1};
    size_t count = 0;
    std::vector<std::byte> buffer;
    const void* current = nullptr;
  };
  Node add(Part part);
  Node apply_scalar(ScalarFunction f, std::span<const Node> arguments);
  Node apply_literal_power(Node base, int64_t exponent);
  void match_constants(std::vector<Node>& arguments);
  bool fill(Part& part, int64_t start, int64_t n);

  std::vector<int64_t> dims_;
  int64_t length_ = 1;
  std::vector<Part> nodes_;
  std::vector<Strided> arrays_;
  std::vector<std::vector<int64_t>> strides_;  // of arrays_ for the dimensions of the result
};

/// A vector's worth of a node's elements in new memory: an Array, or a BitArray for Bool when asked. Undefined when some element
/// needs the function itself.
Value collect_elements(Elementwise& tree, Elementwise::Node node, bool bits);

}  // namespace weft::julia
