#include "ops/foreign/custom_call_checks.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/format.h"
#include "ops/families.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

void skip_space(std::string_view& s) { s.remove_prefix(std::min(s.find_first_not_of(" \n\r\t"), s.size())); }

/// "0, 1" → 0, 1.
std::optional<Ints> read_ints(std::string_view text) {
  Ints out;
  for (skip_space(text); !text.empty(); skip_space(text)) {
    int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
    out.push_back(value);
    const size_t comma = text.find(',');
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return out;
}

/// "dense<[1, 0]> : tensor<2xindex>", "dense<> : tensor<0xindex>", "dense<0> : tensor<1xindex>": constants of index are kept as text.
std::optional<Ints> read_dense(std::string_view text) {
  constexpr std::string_view kDense = "dense<", kTensor = "tensor<";
  const size_t close = text.find('>'), type = text.find(kTensor);
  if (!text.starts_with(kDense) || type == std::string_view::npos || close > type) return std::nullopt;
  std::string_view elements = text.substr(kDense.size(), close - kDense.size());
  skip_space(elements);
  if (elements.starts_with('[')) return read_ints(elements.substr(1, elements.find(']') - 1));
  const std::optional<Ints> one = read_ints(elements), extent = read_ints(text.substr(type + kTensor.size()));
  if (!one || !extent || extent->empty() || (*extent)[0] < 0 || (*extent)[0] > 1024) return std::nullopt;
  return one->empty() ? Ints() : Ints(static_cast<size_t>((*extent)[0]), (*one)[0]);
}

/// The integers of a list or of a one-dimensional constant.
std::optional<Ints> ints_of(const Attr& attr) {
  if (const auto* kept = attr.get_if<OpaqueAttr>()) return read_dense(kept->text);
  if (const auto* ints = attr.get_if<Ints>()) return *ints;
  if (const auto* list = attr.get_if<std::shared_ptr<const AttrList>>(); list != nullptr && (*list)->empty())
    return Ints();
  const auto* literal = attr.get_if<Literal>();
  if (literal == nullptr || literal->type.rank() != 1) return std::nullopt;
  const size_t bytes = byte_size(literal->type.element_type());
  Ints out;
  for (int64_t i = 0; i < literal->type.num_elements() && i < 1024; ++i) {
    uint64_t bits = 0;
    std::copy_n(literal->element(i), bytes, reinterpret_cast<std::byte*>(&bits));
    out.push_back(static_cast<int64_t>(bits));
  }
  return out;
}

bool is_memref(Type t) { return t.is_foreign() && t.str().starts_with("memref<"); }

/// layouts[i] says in which order type i's dimensions lie in memory.
void check_layouts(const TypeContext& c, std::string_view what, std::span<const Type> types, const Attr& attr) {
  const auto* list = attr.get_if<std::shared_ptr<const AttrList>>();
  const std::string name = std::string(what) + "_layouts";
  if (list == nullptr && !attr.get_if<Ints>())
    c.fail("", name + ": got " + attr.str() + ", expected a list of permutations");
  const size_t count = list == nullptr ? attr.get_if<Ints>()->size() : (*list)->size();
  if (count != types.size()) {
    c.fail("", "number of " + name + ": got " + std::to_string(count) + ", expected one for each of the " +
                   std::to_string(types.size()) + " " + std::string(what) + "s");
  }
  for (size_t i = 0; i < count; ++i) {
    const Type t = types[i];
    const std::string which = name + "[" + std::to_string(i) + "]";
    const std::optional<Ints> layout = list == nullptr ? std::nullopt : ints_of((**list)[i]);
    if (!layout) c.fail("", which + ": got " + attr.str() + ", expected a list of integers");
    if (t.kind() == TypeKind::kTuple)
      c.fail("", which + ": got a layout for " + t.str() + ", expected none, as a tuple has no layout of its own");
    if (!t.is_tensor()) {
      if (layout->empty() || t.is_foreign()) continue;
      c.fail("", which + ": got " + format_list(*layout) + " for " + t.str() + ", expected [], as it is no tensor");
    }
    Ints sorted = *layout;
    std::ranges::sort(sorted);
    bool is_permutation = static_cast<int64_t>(sorted.size()) == t.rank();
    for (size_t d = 0; d < sorted.size(); ++d) is_permutation &= sorted[d] == static_cast<int64_t>(d);
    if (!is_permutation) {
      c.fail("", which + ": got " + format_list(*layout) + " for " + t.str() + ", expected a permutation of [0, " +
                     std::to_string(t.rank()) + ")");
    }
  }
}

struct Alias {
  Ints output_indices;
  int64_t operand = 0;
  Ints operand_indices;
};

/// `#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]>`
class AliasText {
 public:
  AliasText(const TypeContext& context, std::string_view text) : c_(context), text_(text) {}
  Alias read() const {
    return {list("output_tuple_indices"), number(after("operand_index")), list("operand_tuple_indices")};
  }

 private:
  [[noreturn]] void fail() const {
    c_.fail("", "output_operand_aliases: got " + std::string(text_) +
                    ", expected #stablehlo.output_operand_alias<output_tuple_indices = […], operand_index = …, "
                    "operand_tuple_indices = […]>");
  }
  std::string_view after(std::string_view name) const {
    const size_t at = text_.find(name);
    if (at == std::string_view::npos) fail();
    std::string_view rest = text_.substr(at + name.size());
    skip_space(rest);
    if (!rest.starts_with('=')) fail();
    rest.remove_prefix(1);
    skip_space(rest);
    return rest;
  }
  int64_t number(std::string_view rest) const {
    int64_t value = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec != std::errc()) fail();
    return value;
  }
  Ints list(std::string_view name) const {
    std::string_view rest = after(name);
    const size_t end = rest.find(']');
    if (!rest.starts_with('[') || end == std::string_view::npos) fail();
    const std::optional<Ints> ints = read_ints(rest.substr(1, end - 1));
    if (!ints) fail();
    return *ints;
  }

  const TypeContext& c_;
  std::string_view text_;
};

/// The part of a tuple that the indices name.
Type part_of(const TypeContext& c, std::string_view what, Type t, const Ints& indices) {
  for (int64_t i : indices) {
    const bool exists = t.kind() == TypeKind::kTuple && i >= 0 && static_cast<size_t>(i) < t.elements().size();
    if (!exists) {
      c.fail("", "output_operand_aliases: " + std::string(what) + ": got " + format_list(indices) +
                     ", which names no part of " + t.str());
    }
    t = t.elements()[static_cast<size_t>(i)];
  }
  return t;
}

std::vector<Alias> aliases_of(const TypeContext& c) {
  const Attr* attr = c.attrs.find("output_operand_aliases");
  if (attr == nullptr) return {};
  const auto* list = attr->get_if<std::shared_ptr<const AttrList>>();
  if (list == nullptr) {
    if (const auto* ints = attr->get_if<Ints>(); ints != nullptr && ints->empty()) return {};
    c.fail("", "output_operand_aliases: got " + attr->str() + ", expected a list of aliases");
  }
  std::vector<Alias> out;
  for (const Attr& a : **list) {
    const auto* opaque = a.get_if<OpaqueAttr>();
    if (opaque == nullptr) c.fail("", "output_operand_aliases: got " + a.str() + ", expected an alias");
    out.push_back(AliasText(c, opaque->text).read());
  }
  return out;
}

void check_aliases(const TypeContext& c) {
  const std::vector<Alias> aliases = aliases_of(c);
  if (aliases.empty()) return;
  const Type whole = c.declared.size() == 1 ? c.declared[0] : Type::tuple(c.declared);
  std::set<Ints> outputs;
  std::set<std::pair<int64_t, Ints>> operands;
  for (const Alias& a : aliases) {
    if (a.operand < 0 || static_cast<size_t>(a.operand) >= c.operands.size()) {
      c.fail("", "output_operand_aliases: operand_index: got " + std::to_string(a.operand) +
                     ", expected a value in [0, " + std::to_string(c.operands.size()) + ")");
    }
    const Type from =
        part_of(c, "operand_tuple_indices", c.operands[static_cast<size_t>(a.operand)], a.operand_indices);
    const Type to = part_of(c, "output_tuple_indices", whole, a.output_indices);
    if (!is_compatible(from, to)) c.expect_equal("", "output_operand_aliases: type of the result's part", to, from);
    if (!is_memref(from)) continue;
    if (!outputs.insert(a.output_indices).second || !operands.insert({a.operand, a.operand_indices}).second)
      c.fail("", "output_operand_aliases: a buffer stands in more than one alias");
  }
}

void check_backend_config(const TypeContext& c) {
  constexpr int64_t kTypedFfi = 4;
  const int64_t version = c.attrs.integer_or("api_version", 1);
  if (version < 0 || version > kTypedFfi)
    c.fail("", "api_version: got " + std::to_string(version) + ", expected a value in [0, 4]");
  const Attr* config = c.attrs.find("backend_config");
  if (config == nullptr) return;
  // Dictionaries that do not print as they were read are kept as text.
  const auto* kept = config->get_if<OpaqueAttr>();
  const bool is_dictionary = config->get_if<std::shared_ptr<const AttrEntries>>() != nullptr ||
                             (kept != nullptr && kept->text.starts_with('{'));
  const bool is_text = config->get_if<std::string>() != nullptr || (kept != nullptr && kept->text.starts_with('"'));
  if (version == kTypedFfi ? is_dictionary : is_text) return;
  c.fail("", "backend_config: got " + config->str() + ", expected " +
                 (version == kTypedFfi ? "a dictionary" : "a string") + " with api_version " + std::to_string(version));
}

/// "tensor<2xf32>" of "memref<2xf32>" and of itself.
std::string as_tensor(Type t) {
  const std::string s = t.str();
  return is_memref(t) ? "tensor" + s.substr(s.find('<')) : s;
}

void check_buffers(const TypeContext& c) {
  const std::string& target = c.attrs.text("call_target_name");
  const auto expect_one = [&](std::string_view what, std::span<const Type> types, bool memref) {
    if (types.size() != 1)
      c.fail("", "@" + target + ": " + std::string(what) + "s: got " + std::to_string(types.size()) + ", expected one");
    if (memref ? is_memref(types[0]) : types[0].is_tensor()) return;
    c.fail("", "@" + target + ": type of the " + std::string(what) + ": got " + types[0].str() + ", expected a " +
                   (memref ? "memref" : "tensor"));
  };
  if (target == "CreateBuffer") {
    if (!c.operands.empty())
      c.fail("", "@CreateBuffer: operands: got " + std::to_string(c.operands.size()) + ", expected none");
    return expect_one("result", c.declared, true);
  }
  if (target == "Pin" || target == "Unpin") {
    const bool pins = target == "Pin";
    expect_one("operand", c.operands, !pins);
    expect_one("result", c.declared, pins);
    if (as_tensor(c.operands[0]) != as_tensor(c.declared[0])) {
      c.fail("", "@" + target + ": type of the result: got " + c.declared[0].str() +
                     ", expected the shape and elements of " + c.operands[0].str());
    }
    return;
  }
  // A buffer that comes out of a call is one that went in.
  std::set<Ints> aliased;
  for (const Alias& a : aliases_of(c)) aliased.insert(a.output_indices);
  const auto expect_aliased = [&](Type t, const Ints& indices, const auto& self) -> void {
    if (t.kind() == TypeKind::kTuple) {
      for (size_t i = 0; i < t.elements().size(); ++i) {
        Ints inner = indices;
        inner.push_back(static_cast<int64_t>(i));
        self(t.elements()[i], inner, self);
      }
    } else if (is_memref(t) && !aliased.contains(indices)) {
      c.fail("", "output_operand_aliases: got none for the buffer " + format_list(indices) +
                     " of the results, expected one");
    }
  };
  for (size_t i = 0; i < c.declared.size(); ++i) {
    const Ints indices = c.declared.size() == 1 ? Ints() : Ints{static_cast<int64_t>(i)};
    expect_aliased(c.declared[i], indices, expect_aliased);
  }
}

}  // namespace

void check_custom_call(const TypeContext& c) {
  const Attr *operands = c.attrs.find("operand_layouts"), *results = c.attrs.find("result_layouts");
  if ((operands == nullptr) != (results == nullptr))
    c.fail("", "layouts: got " + std::string(operands == nullptr ? "result_layouts" : "operand_layouts") +
                   " only, expected both of operand_layouts and result_layouts, or none");
  if (operands != nullptr) {
    check_layouts(c, "operand", c.operands, *operands);
    // The layouts of a tuple that is the only result are those of its elements.
    const bool is_tuple = c.declared.size() == 1 && c.declared[0].kind() == TypeKind::kTuple;
    check_layouts(c, "result", is_tuple ? c.declared[0].elements() : std::span<const Type>(c.declared), *results);
  }
  check_aliases(c);
  check_backend_config(c);
  check_buffers(c);
}

}  // namespace weft
