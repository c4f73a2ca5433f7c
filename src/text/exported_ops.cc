#include "text/exported_ops.h"

#include <algorithm>
#include <utility>

#include "ops/families.h"

namespace weft::text {
namespace {

bool is_custom_call(const OpParts& op) { return op.record->mnemonic == "stablehlo.custom_call"; }

const Attr* find_in(const Attrs& attrs, const char* dictionary, std::string_view name) {
  const Attr* found = attrs.find(dictionary);
  const auto* entries = found == nullptr ? nullptr : found->get_if<std::shared_ptr<const AttrEntries>>();
  if (entries == nullptr) return nullptr;
  const auto entry = std::ranges::find(**entries, name, [](const auto& e) { return std::string_view(e.first); });
  return entry == (*entries)->end() ? nullptr : &entry->second;
}

}  // namespace

std::string_view known_mnemonic(std::string_view mnemonic) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"mhlo.erf", "chlo.erf"},
                                                                      {"mhlo.tan", "stablehlo.tan"}};
  for (const auto& [theirs, ours] : kNames) {
    if (mnemonic == theirs) return ours;
  }
  return mnemonic;
}

void replace_carrying_call(OpParts& op) {
  if (!is_custom_call(op) || !op.regions.empty()) return;
  // Whether it is a text is checked later.
  const Attr* name = op.attrs.find("call_target_name");
  const auto* text = name == nullptr ? nullptr : name->get_if<std::string>();
  if (text == nullptr) return;
  const std::string target = *text;
  const std::string_view ours = known_mnemonic(target);
  if (ours != target && op.operands.size() == 1 && op.results.size() == 1) {
    op.record = find_op(ours);
    op.attrs = {};
  }
  if (target != "mhlo.topk" || op.operands.size() != 1 || op.results.size() != 2) return;
  const Attr *k = find_in(op.attrs, "mhlo.attributes", "k"), *largest = find_in(op.attrs, "mhlo.attributes", "largest");
  const auto* count = k == nullptr ? nullptr : k->get_if<int64_t>();
  const auto* is_largest = largest == nullptr ? nullptr : largest->get_if<bool>();
  if (count == nullptr || (largest != nullptr && (is_largest == nullptr || !*is_largest))) return;
  op.record = find_op("chlo.top_k");
  Attrs attrs;
  attrs.set("k", *count);
  op.attrs = std::move(attrs);
}

std::vector<Type> tuple_elements_of_call(const OpParts& op) {
  if (!is_custom_call(op) || op.results.size() != 1 || op.results[0].kind() != TypeKind::kTuple) return {};
  const auto elements = op.results[0].elements();
  // Aliases say "element 0" of a tuple of one, and nothing of the one result that it would become.
  if (elements.size() < 2 && op.attrs.find("output_operand_aliases") != nullptr) return {};
  if (std::ranges::any_of(elements, [](Type t) { return t.kind() == TypeKind::kTuple; })) return {};
  return {elements.begin(), elements.end()};
}

}  // namespace weft::text
