#include "ops/foreign/foreign.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace weft {
namespace {

constexpr Refuse kUnknown{"not an op that Weft knows"};

/// What the text declares is all that is known.
std::vector<Type> type_foreign(const TypeContext& context) { return context.declared; }

constexpr OpFacets kFacets{
    .doc = "An op of a dialect that Weft gives no meaning to.",
    .syntax = Syntax::kGeneric,
    .schema = {},
    .type = type_foreign,
    .eval = kUnknown,
    .scalar = kUnknown,
    .linearize = kUnknown,
    .transpose = kUnknown,
    .vectorize = kUnknown,
    .uniformity = kUnknown,
    .simplify = kUnknown,
    .aliases = kUnknown,
    .effects = Effects::kIo,  // it may have any
    .cost = kUnknown,
    .to_stablehlo = kUnknown,
    .samples = kUnknown,
};

struct Table {
  std::mutex mutex;
  // Nodes keep their addresses, and records name themselves by their keys.
  std::map<std::string, OpRecord, std::less<>> records;
};

Table& table() {
  static Table* t = new Table;
  return *t;
}

/// Levenshtein's distance.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

const OpRecord& foreign_op(std::string_view mnemonic) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  auto it = t.records.find(mnemonic);
  if (it == t.records.end()) {
    it = t.records.emplace(std::string(mnemonic), OpRecord{{.mnemonic = {}}, kFacets}).first;
    it->second.mnemonic = it->first;
  }
  return it->second;
}

bool is_foreign_op(const OpDef& def) { return record(def).type.rule() == &type_foreign; }

bool is_of_known_dialect(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 6> kDialects = {"stablehlo", "chlo", "func",
                                                                "check",     "weft", "interpreter"};
  return std::ranges::find(kDialects, mnemonic.substr(0, mnemonic.find('.'))) != kDialects.end();
}

std::string unknown_op_message(std::string_view mnemonic) {
  std::string message = "[" + std::string(mnemonic) + "] is not known to Weft";
  constexpr size_t kLongest = 64;
  if (mnemonic.size() > kLongest) return message;
  // One letter in four may be wrong.
  size_t best = std::max<size_t>(1, (mnemonic.size() - std::min(mnemonic.size(), mnemonic.find('.') + 1)) / 4) + 1;
  std::string_view nearest;
  for (const OpRecord* r : all_ops()) {
    const size_t d = distance(mnemonic, r->mnemonic);
    if (d < best) {
      best = d;
      nearest = r->mnemonic;
    }
  }
  if (!nearest.empty()) message += ": did you mean " + std::string(nearest) + "?";
  return message;
}

Type foreign_type_of(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (op.operand_type(i).is_foreign()) return op.operand_type(i);
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (op.result_type(i).is_foreign()) return op.result_type(i);
  }
  return {};
}

bool is_unranked(Type type) { return type.is_foreign() && type.str().starts_with("tensor<*"); }

namespace {

/// The tensor of rank 0 with the elements of a tensor of any rank or of none; nothing when they are not Weft's.
Type of_rank_0(Type type) {
  if (type.is_tensor()) return type.is_quantized() ? Type() : Type::scalar(type.element_type());
  if (!is_unranked(type)) return {};
  const std::string spelling = type.str();
  constexpr size_t kBefore = std::string_view("tensor<*x").size();
  if (spelling.size() <= kBefore) return {};
  const auto element = element_type_from_name(spelling.substr(kBefore, spelling.size() - kBefore - 1));
  return element ? Type::scalar(*element) : Type();
}

}  // namespace

std::vector<Type> types_of_unranked(const TypeContext& c) {
  const OpRecord& r = record(c.def);
  if (r.syntax != Syntax::kElementwise || r.type.refused()) return c.declared;
  TypeContext plain{c.def, {}, c.attrs, c.function, c.regions, {}, c.module, c.loc};
  for (const Type& t : c.operands) {
    plain.operands.push_back(of_rank_0(t));
    if (!plain.operands.back()) return c.declared;
  }
  const std::vector<Type> types = (*r.type.rule())(plain);
  if (types.size() != c.declared.size()) {
    c.fail("", "number of results: got " + std::to_string(c.declared.size()) + ", expected " +
                   std::to_string(types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Type declared = of_rank_0(c.declared[i]);
    if (declared && declared != types[i]) {
      c.fail("", "element type of result " + std::to_string(i) + ": got " + c.declared[i].str() + ", expected " +
                     types[i].element_str());
    }
  }
  return c.declared;
}

bool takes_foreign_type(const OpDef& def, Type type) {
  static constexpr std::array<std::string_view, 3> kCarriers = {"func.call", "func.return", "stablehlo.return"};
  static constexpr std::array<std::string_view, 4> kBuffers = {"stablehlo.custom_call", "stablehlo.while",
                                                               "stablehlo.tuple", "stablehlo.get_tuple_element"};
  const auto among = [&](const auto& names) { return std::ranges::find(names, def.mnemonic) != names.end(); };
  if (is_foreign_op(def) || among(kCarriers)) return true;
  if (is_unranked(type)) return def.mnemonic == "stablehlo.custom_call" || def.mnemonic.starts_with("chlo.");
  return type.str().starts_with("memref<") && among(kBuffers);
}

}  // namespace weft
