#include <string>
#include <unordered_map>
#include <vector>

#include "ops/elementwise/chlo_families.h"

namespace weft {
namespace {

struct Registry {
  std::vector<const OpRecord*> all;
  std::unordered_map<std::string_view, const OpRecord*> by_mnemonic;

  Registry() {
    for (const auto family : kFamilies) add(family());
    for (const auto family : kChloFamilies) add(family());
  }
  void add(Family family) {
    for (const OpRecord& r : family) {
      if (!by_mnemonic.emplace(r.mnemonic, &r).second)
        throw InternalError("two records for op " + std::string(r.mnemonic));
      all.push_back(&r);
    }
  }
};

const Registry& registry() {
  static const Registry r;
  return r;
}

}  // namespace

std::span<const OpRecord* const> all_ops() { return registry().all; }

const OpRecord* find_op(std::string_view mnemonic) {
  const auto& ops = registry().by_mnemonic;
  const auto it = ops.find(mnemonic);
  return it == ops.end() ? nullptr : it->second;
}

const OpRecord& get_op(std::string_view mnemonic) {
  const OpRecord* op = find_op(mnemonic);
  if (op == nullptr) throw InternalError("there is no op " + std::string(mnemonic));
  return *op;
}

}  // namespace weft
