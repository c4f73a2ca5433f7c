#include "julia/intrinsics/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/number_ops.h"
#include "julia/host/tracked.h"

namespace weft::julia {
namespace {

constexpr Elementwise::Node kNone = -1;

const TypeName* name_of(const char* type) { return as<DataType>(unwrap_union_all(builtin_type(type)))->name; }

bool shares(const Strided& a, const Strided& b) {
  if (a.length() == 0 || b.length() == 0) return false;
  return array_of(a.owner).buffer.data() == array_of(b.owner).buffer.data();
}

/// The N of Val(N), for an integer.
std::optional<int64_t> integer_of_val(const Value& v) {
  static const TypeName* const val = name_of("Val");
  if (!v.is_defined() || v.type()->name != val || v.type()->parameters.empty()) return std::nullopt;
  const Type* p = v.type()->parameters[0];
  if (p->kind != TypeKind::kConstant || static_cast<const Constant*>(p)->of != core().int64) return std::nullopt;
  return static_cast<const Constant*>(p)->bits;
}

}  // namespace

Elementwise::Elementwise(std::vector<int64_t> dims) : dims_(std::move(dims)) {
  for (const int64_t d : dims_) length_ *= d;
}

Elementwise::Node Elementwise::add(Part part) {
  nodes_.push_back(std::move(part));
  return static_cast<Node>(nodes_.size() - 1);
}

Elementwise::Node Elementwise::leaf(const Value& v) {
  Part part;
  if (tracked::is_tracked(v)) return kNone;
  if (const auto kind = number_kind(v)) {
    part.kind = *kind;
    part.constant = v;
    return add(std::move(part));
  }
  if (is_range(v)) {
    const int64_t n = range_length(v);
    const auto kind = number_kind(n > 0 ? range_element(v, 0) : Value());
    if (!kind || dims_.empty() || (n != dims_[0] && n != 1)) return kNone;
    part.kind = *kind;
    part.constant = n == 1 ? range_element(v, 0) : v;
    part.what = n == 1 ? Part::What::kConstant : Part::What::kRange;
    return add(std::move(part));
  }
  std::optional<Strided> s = strided_of(v);
  if (!s || s->dims.size() > dims_.size()) return kNone;
  std::vector<int64_t> strides(dims_.size(), 0);
  for (size_t d = 0; d < s->dims.size(); ++d) {
    if (s->dims[d] == dims_[d]) strides[d] = s->strides[d];
    else if (s->dims[d] != 1) return kNone;
  }
  part.what = Part::What::kArray;
  part.kind = s->kind;
  part.array = arrays_.size();
  part.is_direct = s->length() == length_ && s->is_contiguous();
  arrays_.push_back(*std::move(s));
  strides_.push_back(std::move(strides));
  return add(std::move(part));
}

Elementwise::Node Elementwise::convert(Node node, NumberKind to) {
  if (kind(node) == to) return node;
  Part& from = nodes_[static_cast<size_t>(node)];
  const std::optional<Kernel> conversion = find_conversion(from.kind, to);
  if (!conversion) return kNone;
  Part part;
  part.what = Part::What::kKernel;
  part.kind = to;
  part.kernel = *conversion;
  part.arguments[0] = node;
  part.count = 1;
  return add(std::move(part));
}

/// An integer constant beside floats is compared as a float, where that is exact.
void Elementwise::match_constants(std::vector<Node>& arguments) {
  std::optional<NumberKind> real;
  for (const Node n : arguments) {
    if (is_float(kind(n))) real = kind(n);
  }
  if (!real) return;
  for (Node& n : arguments) {
    const Part& part = nodes_[static_cast<size_t>(n)];
    if (part.what != Part::What::kConstant || !is_integer(part.kind)) continue;
    const Value converted = convert_number(*real, part.constant);
    if (numbers_equal(converted, part.constant)) n = leaf(converted);
  }
}

Elementwise::Node Elementwise::apply_scalar(ScalarFunction f, std::span<const Node> given) {
  std::vector<Node> arguments(given.begin(), given.end());
  if (arguments.size() > 2 && folds_left(f)) {
    Node out = arguments[0];
    for (size_t i = 1; i < arguments.size() && out != kNone; ++i) {
      const Node pair[] = {out, arguments[i]};
      out = apply_scalar(f, pair);
    }
    return out;
  }
  if (arguments.empty() || arguments.size() > Kernel::kMostArguments) return kNone;
  if (is_comparison(f)) match_constants(arguments);
  if (f == ScalarFunction::kMultiply && arguments.size() == 2 && kind(arguments[1]) == NumberKind::kBool)
    std::swap(arguments[0], arguments[1]);
  std::vector<NumberKind> kinds;
  for (const Node n : arguments) kinds.push_back(kind(n));
  const std::optional<Kernel> kernel = find_kernel(f, kinds);
  if (!kernel) return kNone;
  Part part;
  part.what = Part::What::kKernel;
  part.kind = kernel->result;
  part.kernel = *kernel;
  part.count = arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) {
    part.arguments[i] = convert(arguments[i], kernel->arguments[i]);
    if (part.arguments[i] == kNone) return kNone;
  }
  return add(std::move(part));
}

Elementwise::Node Elementwise::apply_literal_power(Node base, int64_t exponent) {
  const auto times = [&](Node a, Node b) {
    const Node pair[] = {a, b};
    return apply_scalar(ScalarFunction::kMultiply, pair);
  };
  if (exponent == 1) return base;
  if (exponent == 2 || exponent == 3) {
    const Node square = times(base, base);
    return exponent == 2 || square == kNone ? square : times(square, base);
  }
  if ((exponent == -1 || exponent == -2) && is_float(kind(base))) {
    const Node inverse = apply_scalar(ScalarFunction::kInverse, {&base, 1});
    return exponent == -1 || inverse == kNone ? inverse : times(inverse, inverse);
  }
  return kNone;
}

Elementwise::Node Elementwise::apply(const Value& f, std::span<const Node> arguments) {
  if (std::ranges::count(arguments, kNone) != 0) return kNone;
  if (const auto known = scalar_function(f)) return apply_scalar(*known, arguments);
  if (f.is_type()) {
    const auto to = number_kind(f.as_type());
    return to && arguments.size() == 1 ? convert(arguments[0], *to) : kNone;
  }
  static const TypeName* const fix = name_of("Fix");
  static const TypeName* const composed = name_of("ComposedFunction");
  const TypeName* name = f.type()->name;
  if (name == composed) {
    const Node inner = apply(get_field(f, 1), arguments);
    return apply(get_field(f, 0), {&inner, 1});
  }
  if (name == fix && arguments.size() == 1) {
    const Value fixed = get_field(f, 1);
    if (!number_kind(fixed)) return kNone;
    const Node x = leaf(fixed);
    const bool first = static_cast<const Constant*>(f.type()->parameters[0])->bits == 1;
    const Node pair[] = {first ? x : arguments[0], first ? arguments[0] : x};
    return apply(get_field(f, 0), pair);
  }
  return kNone;
}

Elementwise::Node Elementwise::literal_power(Node base, const Value& exponent) {
  const std::optional<int64_t> n = integer_of_val(exponent);
  return n && base != kNone ? apply_literal_power(base, *n) : kNone;
}

bool Elementwise::reads(const Strided& memory) const {
  return std::ranges::any_of(arrays_, [&](const Strided& a) { return shares(a, memory); });
}

void Elementwise::keep_apart_from(const Strided& destination) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    Strided& a = arrays_[i];
    if (!shares(a, destination)) continue;
    if (a.data == destination.data && a.dims == destination.dims && a.strides == destination.strides) continue;
    const Value copy = make_array(number_type(a.kind), a.dims);
    gather(a.data, size_of(a.kind), a.dims, a.strides, 0, a.length(), array_of(copy).data());
    const Strided apart = *strided_of(copy);
    for (size_t d = 0; d < apart.dims.size(); ++d) strides_[i][d] = strides_[i][d] == 0 ? 0 : apart.strides[d];
    a = apart;
    for (Part& p : nodes_) {
      if (p.what == Part::What::kArray && p.array == i) p.is_direct = a.length() == length_;
    }
  }
}

bool Elementwise::may_fail(Node node) const {
  return std::ranges::any_of(nodes_.begin(), nodes_.begin() + node + 1,
                             [](const Part& p) { return p.what == Part::What::kKernel && p.kernel.may_fail; });
}

bool Elementwise::fill(Part& part, int64_t start, int64_t n) {
  const size_t size = size_of(part.kind);
  const auto room = [&] {
    if (part.buffer.empty()) part.buffer.resize(size * kChunk);
    part.current = part.buffer.data();
    return part.buffer.data();
  };
  switch (part.what) {
    case Part::What::kConstant:
      if (part.current == nullptr) {
        std::byte* to = room();
        for (int64_t i = 0; i < kChunk; ++i)
          std::memcpy(to + i * static_cast<int64_t>(size), part.constant.bits(), size);
      }
      return true;
    case Part::What::kArray: {
      const Strided& a = arrays_[part.array];
      if (part.is_direct) part.current = a.data + start * static_cast<int64_t>(size);
      else gather(a.data, size, dims_, strides_[part.array], start, n, room());
      return true;
    }
    case Part::What::kRange: {
      std::byte* to = room();
      for (int64_t i = 0; i < n; ++i) {
        const Value x = range_element(part.constant, (start + i) % dims_[0]);
        std::memcpy(to + i * static_cast<int64_t>(size), x.bits(), size);
      }
      return true;
    }
    case Part::What::kKernel: {
      const void* in[Kernel::kMostArguments] = {};
      for (size_t i = 0; i < part.count; ++i) in[i] = nodes_[static_cast<size_t>(part.arguments[i])].current;
      return part.kernel.run(room(), in, static_cast<size_t>(n));
    }
  }
  return false;
}

const void* Elementwise::evaluate(Node node, int64_t start, int64_t n) {
  // Arguments stand before what uses them.
  for (Node i = 0; i <= node; ++i) {
    if (!fill(nodes_[static_cast<size_t>(i)], start, n)) return nullptr;
  }
  return nodes_[static_cast<size_t>(node)].current;
}

Value collect_elements(Elementwise& tree, Elementwise::Node node, bool bits) {
  const NumberKind kind = tree.kind(node);
  Value out =
      bits && kind == NumberKind::kBool ? make_bit_array(tree.dims()) : make_array(number_type(kind), tree.dims());
  const auto size = static_cast<int64_t>(size_of(kind));
  for (int64_t start = 0; start < tree.length(); start += Elementwise::kChunk) {
    const int64_t n = std::min(Elementwise::kChunk, tree.length() - start);
    const void* from = tree.evaluate(node, start, n);
    if (from == nullptr) return {};
    std::memcpy(array_of(out).data() + start * size, from, static_cast<size_t>(n * size));
  }
  return out;
}

}  // namespace weft::julia
