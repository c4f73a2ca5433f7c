#include "ir/attr.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"

namespace weft {

Literal Literal::dense(Tensor t) {
  Literal l;
  l.type = Type::tensor(t.element_type(), t.shape());
  l.elements = std::move(t);
  return l;
}

Literal Literal::splat_of(Type type, Tensor scalar) {
  if (scalar.size() != 1 || scalar.element_type() != type.element_type()) {
    throw InternalError("splat of " + type.str() + " needs one element of its type");
  }
  return {type, std::move(scalar), true};
}

Tensor Literal::materialize() const {
  const Shape shape(type.shape().begin(), type.shape().end());
  if (!splat) return Tensor(type.element_type(), shape, elements.buffer());
  Tensor out(type.element_type(), shape);
  const size_t bytes = byte_size(type.element_type());
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t i = 0; i < out.size(); ++i) std::memcpy(to + static_cast<size_t>(i) * bytes, elements.raw(), bytes);
  return out;
}

bool Literal::operator==(const Literal& other) const {
  if (type != other.type || splat != other.splat) return false;
  return elements.raw() == other.elements.raw() ||
         std::memcmp(elements.raw(), other.elements.raw(), elements.size_bytes()) == 0;
}

bool Attr::operator==(const Attr& other) const {
  if (v_.index() != other.v_.index()) return false;
  if (const auto* list = get_if<std::shared_ptr<const AttrList>>()) {
    return **list == **other.get_if<std::shared_ptr<const AttrList>>();
  }
  if (const auto* entries = get_if<std::shared_ptr<const AttrEntries>>()) {
    return **entries == **other.get_if<std::shared_ptr<const AttrEntries>>();
  }
  return v_ == other.v_;
}

std::string Attr::str() const {
  struct Visitor {
    std::string operator()(std::monostate) const { return "unit"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return format_float(d); }
    std::string operator()(const std::string& s) const { return "\"" + s + "\""; }
    std::string operator()(const Ints& v) const { return format_list(v); }
    std::string operator()(const Type& t) const { return t.str(); }
    std::string operator()(const Literal& l) const { return l.type.str() + " constant"; }
    std::string operator()(const std::shared_ptr<const AttrList>& list) const {
      std::string out = "[";
      for (size_t i = 0; i < list->size(); ++i) out += (i ? ", " : "") + (*list)[i].str();
      return out + "]";
    }
    std::string operator()(const std::shared_ptr<const AttrEntries>& entries) const {
      std::string out = "{";
      for (size_t i = 0; i < entries->size(); ++i) {
        out += (i ? ", " : "") + (*entries)[i].first + " = " + (*entries)[i].second.str();
      }
      return out + "}";
    }
    std::string operator()(const OpaqueAttr& o) const { return o.text; }
  };
  return std::visit(Visitor{}, v_);
}

size_t Attr::hash() const {
  if (const auto* l = get_if<Literal>()) {
    const size_t bytes = std::min<size_t>(l->elements.size_bytes(), 256);
    return std::hash<Type>()(l->type) * 31 +
           std::hash<std::string_view>()({static_cast<const char*>(l->elements.raw()), bytes});
  }
  return std::hash<std::string>()(str()) * 31 + v_.index();
}

Attrs::Attrs(std::initializer_list<std::pair<std::string, Attr>> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

void Attrs::set(std::string_view name, Attr value) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const auto& entry, std::string_view n) { return entry.first < n; });
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void Attrs::erase(std::string_view name) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; });
}

const Attr* Attrs::find(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

namespace {

template <class T>
const T& require(const Attrs& attrs, std::string_view name) {
  const Attr* attr = attrs.find(name);
  const T* value = attr ? attr->get_if<T>() : nullptr;
  if (value == nullptr) {
    throw InternalError("attribute " + std::string(name) +
                        (attr ? " has an unexpected kind: " + attr->str() : " is missing"));
  }
  return *value;
}

}  // namespace

const std::vector<int64_t>& Attrs::ints(std::string_view name) const {
  return require<std::vector<int64_t>>(*this, name);
}
std::vector<int64_t> Attrs::ints_or(std::string_view name, size_t count, int64_t fallback) const {
  return has(name) ? ints(name) : std::vector<int64_t>(count, fallback);
}
int64_t Attrs::integer(std::string_view name) const { return require<int64_t>(*this, name); }
int64_t Attrs::integer_or(std::string_view name, int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}
bool Attrs::boolean_or(std::string_view name, bool fallback) const {
  return has(name) ? require<bool>(*this, name) : fallback;
}
const std::string& Attrs::text(std::string_view name) const { return require<std::string>(*this, name); }
std::string Attrs::text_or(std::string_view name, std::string_view fallback) const {
  return has(name) ? text(name) : std::string(fallback);
}
const Literal& Attrs::literal(std::string_view name) const { return require<Literal>(*this, name); }
Type Attrs::type(std::string_view name) const { return require<Type>(*this, name); }

bool Attrs::operator==(const Attrs& other) const { return entries_ == other.entries_; }
size_t Attrs::hash() const {
  size_t h = 17;
  for (const auto& [name, value] : entries_) h = (h * 31 + std::hash<std::string>()(name)) * 31 + value.hash();
  return h;
}

}  // namespace weft
