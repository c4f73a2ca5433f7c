#include <unordered_map>

#include "native/codegen/kernel.h"

namespace weft::codegen {
namespace {

/// Two independent 64-bit accumulations over a stream of words.
struct Hash128 {
  uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344;
  void add(uint64_t x) {
    a = (a ^ x) * 0x9e3779b97f4a7c15;
    a ^= a >> 29;
    b = (b + x) * 0xd6e8feb86659fd93;
    b ^= b >> 32;
  }
  void add(std::string_view s) {
    add(s.size());
    for (char c : s) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  void add_bytes(const std::byte* p, size_t n) {
    add(n);
    for (size_t i = 0; i < n; ++i) add(static_cast<uint64_t>(p[i]));
  }
};

class Hasher {
 public:
  explicit Hasher(const Function& f) : f_(f) {}
  Hash128 hash;

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
      hash.add_bytes(l->elements.buffer().data(), l->elements.size_bytes());
    } else if (const auto* ints = a.get_if<std::vector<int64_t>>()) {
      hash.add(ints->size());
      for (int64_t i : *ints) hash.add(static_cast<uint64_t>(i));
    } else {
      hash.add(a.str());
    }
  }

  const Function& f_;
  std::unordered_map<uint32_t, uint64_t> numbers_;
};

}  // namespace

std::string kernel_hash(const Function& kernel, const KernelOptions& options) {
  Hasher h(kernel);
  h.hash.add(options.isa.cpu);
  h.hash.add(options.isa.features);
  h.region(kernel.body());
  static const char* digits = "0123456789abcdef";
  std::string text;
  for (uint64_t word : {h.hash.a, h.hash.b}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 15];
  }
  return text;
}

}  // namespace weft::codegen
