#include <unordered_map>

#include "base/hash.h"
#include "native/codegen/kernel.h"

namespace weft::codegen {
namespace {

class KernelHasher {
 public:
  explicit KernelHasher(const Function& f) : f_(f) {}
  Hasher hash;

  void region(RegionId r) {
    for (Value v : f_.args(r)) define(v);
    hash.add(f_.ops(r).size());
    for (OpId op : f_.ops(r)) {
      hash.add(f_.def(op).mnemonic);
      hash.add(f_.operands(op).size());
      for (Value v : f_.operands(op)) hash.add(numbers_.at(v.index));
      for (const auto& [name, attr] : f_.attrs(op).entries()) {
        if (name.find('.') != std::string::npos) continue;  // discardable
        hash.add(name);
        attribute(attr);
      }
      hash.add(f_.regions(op).size());
      for (RegionId inner : f_.regions(op)) region(inner);
      for (Value v : f_.results(op)) define(v);
    }
  }

 private:
  void define(Value v) {
    numbers_[v.index] = numbers_.size();
    hash.add(f_.type(v).str());
  }
  void attribute(const Attr& a) {
    hash.add(a.variant().index());
    if (const Literal* l = a.get_if<Literal>()) {
      hash.add(l->type.str());
      hash.add(l->splat ? 1 : 0);
      hash.add(std::span<const std::byte>(l->elements.buffer().data(), l->elements.size_bytes()));
    } else if (const auto* ints = a.get_if<std::vector<int64_t>>()) {
      hash.add(std::as_bytes(std::span(*ints)));
    } else {
      hash.add(a.str());
    }
  }

  const Function& f_;
  std::unordered_map<uint32_t, uint64_t> numbers_;
};

}  // namespace

std::string kernel_hash(const Function& kernel, const KernelOptions& options) {
  KernelHasher h(kernel);
  h.hash.add(options.isa.cpu);
  h.hash.add(options.isa.features);
  h.region(kernel.body());
  return hash_text(h.hash.value());
}

}  // namespace weft::codegen
