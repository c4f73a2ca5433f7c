#include "native/cache/code_cache.h"

#include <cstring>

namespace weft::native {
namespace {

class Writer {
 public:
  void put(uint64_t v) { text_.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void put(std::span<const std::byte> bytes) {
    put(bytes.size());
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool get(uint64_t& v) {
    if (text_.size() < sizeof v) return false;
    std::memcpy(&v, text_.data(), sizeof v);
    text_.remove_prefix(sizeof v);
    return true;
  }
  bool get(std::vector<std::byte>& bytes) {
    uint64_t size = 0;
    if (!get(size) || size > text_.size()) return false;
    const auto* begin = reinterpret_cast<const std::byte*>(text_.data());
    bytes.assign(begin, begin + size);
    text_.remove_prefix(size);
    return true;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::string packed(const CachedCode& code) {
  Writer w;
  w.put(code.workspace_bytes);
  w.put(code.scratch_bytes.size());
  for (const uint64_t n : code.scratch_bytes) w.put(n);
  for (const auto* places : {&code.sites, &code.constants}) {
    w.put(places->size());
    for (const auto& [function, op] : *places) {
      w.put(function);
      w.put(op);
    }
  }
  w.put(code.objects.size());
  for (const auto& object : code.objects) w.put(std::span<const std::byte>(object));
  return w.take();
}

std::optional<CachedCode> unpacked(std::string_view text) {
  Reader r(text);
  CachedCode code;
  uint64_t count = 0, first = 0, second = 0;
  if (!r.get(code.workspace_bytes) || !r.get(count)) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    if (!r.get(first)) return std::nullopt;
    code.scratch_bytes.push_back(first);
  }
  for (auto* places : {&code.sites, &code.constants}) {
    if (!r.get(count)) return std::nullopt;
    for (uint64_t i = 0; i < count; ++i) {
      if (!r.get(first) || !r.get(second)) return std::nullopt;
      places->emplace_back(static_cast<uint32_t>(first), static_cast<uint32_t>(second));
    }
  }
  if (!r.get(count)) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    code.objects.emplace_back();
    if (!r.get(code.objects.back())) return std::nullopt;
  }
  if (!r.at_end()) return std::nullopt;
  return code;
}

}  // namespace

std::optional<CodeCache> CodeCache::of(const CompileOptions& options) {
  // A dump shows code as it is generated.
  if (options.dump || build_id().empty()) return std::nullopt;
  std::optional<FileCache> files = FileCache::of(options.cache);
  return files ? std::optional(CodeCache(std::move(*files))) : std::nullopt;
}

std::optional<CachedCode> CodeCache::load(const Hash& key) const {
  is_damaged_ = false;
  const std::optional<std::string> body = files_.load(key);
  if (!body) return std::nullopt;
  auto code = unpacked(*body);
  is_damaged_ = !code;
  return code;
}

const std::string& CodeCache::problem() const {
  static const std::string damaged = FileCache::kDamaged;
  return is_damaged_ ? damaged : files_.problem();
}

void CodeCache::store(const Hash& key, const CachedCode& code) const {
  is_damaged_ = false;
  files_.store(key, packed(code));
}

}  // namespace weft::native
