// Broadcasting: broadcasted, materialize, materialize! and what they are made of.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/intrinsics/broadcast_tree.h"
#include "julia/intrinsics/functional.h"

namespace weft::julia {
namespace {

enum class Manner : uint8_t { kScalar, kTuple, kArray, kOwn };

/// How one argument takes part: `rank` of an array; kOwn: its type has a style of its own.
struct Part {
  Manner manner = Manner::kScalar;
  int64_t rank = 0;
};

const TypeName* name_of(const char* type) { return as<DataType>(unwrap_union_all(builtin_type(type)))->name; }

int64_t int_parameter(const Type* p) {
  return p->kind == TypeKind::kConstant ? static_cast<const Constant*>(p)->bits : -1;
}

/// The array kinds of Base without a style of their own.
bool is_plain_array(const Value& v) {
  if (is_array(v) || is_range(v)) return true;
  static const TypeName* const names[] = {name_of("SubArray"),          name_of("ReshapedArray"),
                                          name_of("PermutedDimsArray"), name_of("CartesianIndices"),
                                          name_of("LinearIndices"),     name_of("Slice")};
  return std::ranges::find(names, v.type()->name) != std::end(names);
}

int64_t rank_of(const Value& v) {
  if (is_array(v)) return static_cast<int64_t>(array_of(v).dims.size());
  for (const DataType* t = v.type(); t != core().any; t = t->super()) {
    if (t->name == as<DataType>(unwrap_union_all(core().abstract_array))->name) return int_parameter(t->parameters[1]);
  }
  return -1;
}

Part part_of(Evaluator& e, const Value& v) {
  if (is_tuple(v)) return {Manner::kTuple, 1};
  if (is_broadcasted(v)) {
    const DataType* style = get_field(v, 0).type();
    if (style->name == as<DataType>(unwrap_union_all(base_type(e, "DefaultArrayStyle")))->name)
      return {Manner::kArray, int_parameter(style->parameters[0])};
    return {style == base_type(e, "TupleStyle") ? Manner::kTuple : Manner::kOwn, 1};
  }
  if (is_abstract_array(v)) {
    if (is_plain_array(v)) return {Manner::kArray, rank_of(v)};
    return {Manner::kOwn, 0};
  }
  static const TypeName* const refs[] = {name_of("RefValue"), name_of("RefArray")};
  if (number_kind(v) || std::ranges::find(refs, v.type()->name) != std::end(refs)) return {};
  return {Manner::kOwn, 0};
}

Value make_broadcasted(const Value& style, const Value& f, std::vector<Value> arguments) {
  Value tuple = make_tuple(std::move(arguments));
  const DataType* type =
      applied(builtin_type("Broadcasted"), {style.type(), core().nothing, dispatch_type(f), tuple.type()});
  return make_struct(type, {style, f, std::move(tuple), nothing()});
}

Value style_of_rank(Evaluator& e, int64_t rank) {
  return Value::singleton(applied(base_type(e, "DefaultArrayStyle"), {make_int(rank)}));
}

Value broadcasted(Evaluator& e, std::span<const Value> given) {
  const Value& f = given[0];
  std::vector<Value> arguments;
  bool has_range = false, is_own = false, has_tuple = false;
  int64_t rank = 0;
  for (const Value& a : given.subspan(1)) {
    if (is_scalar(a)) {
      arguments.push_back(a);
      continue;
    }
    arguments.push_back(is_tuple(a) || is_broadcasted(a) || is_array(a) ? a : e.call_base("broadcastable", {a}));
    const Value& v = arguments.back();
    if (is_scalar(v)) continue;
    const Part p = part_of(e, v);
    is_own |= p.manner == Manner::kOwn;
    has_tuple |= p.manner == Manner::kTuple;
    if (p.manner == Manner::kArray) rank = std::max(rank, p.rank);
    has_range |= is_range(v);
  }
  if (is_own || (has_range && rank == 1 && !has_tuple)) {
    std::vector<Value> all{f};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return e.call(e.base_function(is_own ? "_broadcasted_by_style" : "_broadcasted_ranges"), all);
  }
  const Value style =
      has_tuple && rank == 0 ? Value::singleton(as<DataType>(base_type(e, "TupleStyle"))) : style_of_rank(e, rank);
  return make_broadcasted(style, f, std::move(arguments));
}

/// Broadcasted{Style}(f, args) whatever the arguments.
Value broadcasted_plain(Evaluator&, std::span<const Value> given) {
  return make_broadcasted(given[0], given[1], {given.begin() + 2, given.end()});
}

Value materialize(Evaluator& e, std::span<const Value> given) {
  const BroadcastTerm term = broadcast_term(e, given[0]);
  const std::vector<int64_t> dims = broadcast_shape(term);
  const bool is_tuple_style = get_field(given[0], 0).type() == base_type(e, "TupleStyle");
  if (is_tuple_style) {
    std::vector<Value> out;
    for_each_index(dims,
                   [&](int64_t, const std::vector<int64_t>& index) { out.push_back(evaluate_term(e, term, index)); });
    return make_tuple(std::move(out));
  }
  if (dims.empty()) return evaluate_term(e, term, {});
  return collect_term(e, term, dims, true);
}

/// Known functions of numbers into strided memory. False: some of it is not known, and what was stored is to be stored anew.
bool store_elements(const BroadcastTerm& term, const Strided& to) {
  Elementwise tree(to.dims);
  Elementwise::Node node = elementwise_term(tree, term);
  if (node != -1) node = tree.convert(node, to.kind);
  if (node == -1) return false;
  tree.keep_apart_from(to);
  const auto each_chunk = [&](auto&& visit) {
    for (int64_t start = 0; start < tree.length(); start += Elementwise::kChunk) {
      const int64_t n = std::min(Elementwise::kChunk, tree.length() - start);
      const void* from = tree.evaluate(node, start, n);
      if (from == nullptr) return false;
      visit(start, n, static_cast<const std::byte*>(from));
    }
    return true;
  };
  // A destination that is also read must not be half overwritten when an element turns out to need the function itself.
  if (tree.may_fail(node) && tree.reads(to) && !each_chunk([](int64_t, int64_t, const std::byte*) {})) return false;
  const size_t size = size_of(to.kind);
  return each_chunk([&](int64_t start, int64_t n, const std::byte* from) {
    scatter(to.data, size, to.dims, to.strides, start, n, from);
  });
}

Value materialize_into(Evaluator& e, std::span<const Value> given) {
  const Value& destination = given[0];
  const BroadcastTerm term = broadcast_term(e, given[1]);
  const std::vector<int64_t> dims = extents_of(e, destination);
  check_destination(term, dims);
  const std::optional<Strided> strided = strided_of(destination);
  if (strided && store_elements(term, *strided)) return destination;

  // Everything is calculated before anything is stored where an argument may be the destination under another name.
  const bool plain = is_array(destination);
  std::vector<Value> values;
  const auto store = [&](int64_t i, const std::vector<int64_t>& index, Value v) {
    if (plain) {
      ArrayObject& a = array_of(destination);
      set_element(a, i, e.convert(a.element, v));
      return;
    }
    std::vector<Value> arguments{destination, std::move(v)};
    for (const int64_t x : index) arguments.push_back(number(x + 1));
    e.call(e.base_function("setindex!"), arguments);
  };
  if (may_share(term, destination)) {
    for_each_index(
        dims, [&](int64_t, const std::vector<int64_t>& index) { values.push_back(evaluate_term(e, term, index)); });
    for_each_index(dims, [&](int64_t i, const std::vector<int64_t>& index) {
      store(i, index, std::move(values[static_cast<size_t>(i)]));
    });
  } else {
    for_each_index(
        dims, [&](int64_t i, const std::vector<int64_t>& index) { store(i, index, evaluate_term(e, term, index)); });
  }
  return destination;
}

Value shape(Evaluator& e, std::span<const Value> given) {
  return size_tuple(broadcast_shape(broadcast_term(e, given[0])));
}

/// _broadcast_at(bc, i…): the element at 1-based indices, or at one linear index.
Value element_at(Evaluator& e, std::span<const Value> given) {
  const BroadcastTerm term = broadcast_term(e, given[0]);
  const std::vector<int64_t> dims = broadcast_shape(term);
  std::vector<int64_t> index;
  for (const Value& v : given.subspan(1)) {
    if (!v.is(core().int64))
      throw_argument_error("invalid index: " + show_text(v) + " of type " + print_text(Value::of_type(v.type())));
    index.push_back(v.get<int64_t>() - 1);
  }
  if (index.size() == 1 && dims.size() > 1) {
    int64_t rest = index[0];
    index.assign(dims.size(), 0);
    for (size_t d = 0; d < dims.size(); ++d) {
      index[d] = d + 1 == dims.size() ? rest : rest % dims[d];
      rest /= std::max<int64_t>(dims[d], 1);
    }
  }
  index.resize(std::max(index.size(), dims.size()), 0);
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= (d < dims.size() ? dims[d] : 1)) {
      std::vector<Value> at(given.begin() + 1, given.end());
      throw_bounds_error(given[0], make_tuple(std::move(at)));
    }
  }
  return evaluate_term(e, term, index);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_broadcasted", broadcasted, 1, -1}, {"_broadcasted_plain", broadcasted_plain, 2, -1},
    {"_materialize", materialize, 1, 1},  {"_materialize_into!", materialize_into, 2, 2},
    {"_broadcast_size", shape, 1, 1},     {"_broadcast_at", element_at, 1, -1},
};

}  // namespace

std::span<const IntrinsicEntry> broadcast_intrinsics() { return kEntries; }

}  // namespace weft::julia
