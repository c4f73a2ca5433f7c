#include "julia/host/tracked.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "julia/host/number.h"
#include "julia/types/type_show.h"

namespace weft::julia::tracked {
namespace {

/// The bytes of a number as a value holds them.
struct Placed {
  uint64_t bits, place;
};

bool is_float_type(const DataType* t) {
  const CoreTypes& c = core();
  return t == c.float64 || t == c.float32 || t == c.float16;
}

bool is_kept_by_field(const Value& v) {
  return v.is_reference() && v.object()->kind == ObjectKind::kFields && v.type()->is_bits();
}

constinit thread_local std::vector<Value>* boxed = nullptr;

}  // namespace

constinit thread_local uint64_t recording = 0;

uint64_t place_of(const Value& v) {
  if (recording == 0 || !v.is_defined() || v.is_reference() || !is_float_type(v.type())) return 0;
  const uint64_t place = v.get<Placed>().place;
  return place >> kPlaceBits == recording >> kPlaceBits ? place - recording : 0;
}

Value with_place(const Value& v, uint64_t place) {
  return Value::of_bits(v.type(), Placed{v.get<Placed>().bits, recording + place});
}

Value without_place(const Value& v) { return Value::of_bits(v.type(), v.get<Placed>().bits); }

bool is_tracked(const Value& v) {
  if (recording == 0 || !v.is_defined()) return false;
  if (!is_kept_by_field(v)) return place_of(v) != 0;
  return std::ranges::any_of(static_cast<const FieldsObject*>(v.object())->fields, is_tracked);
}

void remember(ArrayObject& a) {
  if (boxed == nullptr) boxed = new std::vector<Value>;
  ++a.references;
  boxed->push_back(Value::of_object(array_type(a.element, static_cast<int64_t>(a.dims.size())), &a));
}

void box(ArrayObject& a) {
  if (a.flat == nullptr) return;
  if (!a.buffer.unique())
    throw Unsupported(
        "the derivative of a function that is not compiled and writes to an array of which another one is a reshaped "
        "form");
  auto boxes = std::make_shared<std::vector<Value>>(static_cast<size_t>(a.first + a.length));
  for (int64_t i = 0; i < a.length; ++i) (*boxes)[static_cast<size_t>(a.first + i)] = get_element(a, i);
  a.boxes = std::move(boxes);
  a.flat = nullptr;
  a.buffer = Buffer();
  remember(a);
}

void box_like(ArrayObject& to, const ArrayObject& from) {
  if (from.flat == nullptr && to.flat != nullptr) box(to);
}

void unbox_all() {
  if (boxed == nullptr) return;
  const std::unique_ptr<std::vector<Value>> all(std::exchange(boxed, nullptr));
  std::unordered_map<const std::vector<Value>*, Buffer> made;
  std::vector<std::shared_ptr<std::vector<Value>>> kept;  // their addresses stay theirs
  for (const Value& v : *all) {
    ArrayObject& a = array_of(v);
    if (a.boxes == nullptr) continue;
    const auto* type = static_cast<const DataType*>(a.element);
    const size_t size = type->layout().size;
    Buffer& buffer = made[a.boxes.get()];
    if (!buffer) {
      buffer = Buffer::allocate(std::max<size_t>(a.boxes->size() * size, 1));
      std::memset(buffer.data(), 0, buffer.size());
      for (size_t i = 0; i < a.boxes->size(); ++i) {
        const Value& x = (*a.boxes)[i];
        if (x.is_defined()) std::memcpy(buffer.data() + i * size, x.bits(), size);
      }
    }
    a.buffer = buffer;
    a.flat = type;
    kept.push_back(std::move(a.boxes));
    a.boxes = nullptr;
  }
}

const std::byte* bytes_of_fields(const Value& v) {
  if (is_tracked(v)) throw_tracked_bits();
  // A value that outlived its recording. Callers look at the bytes at once.
  static thread_local std::array<std::vector<std::byte>, 16> recent;
  static thread_local size_t next = 0;
  std::vector<std::byte>& out = recent[next++ % recent.size()];
  const Layout& layout = v.type()->layout();
  out.assign(std::max<size_t>(layout.size, 16), std::byte{});
  for (size_t i = 0; i < layout.offsets.size(); ++i) {
    const Value field = get_field(v, i);
    std::memcpy(out.data() + layout.offsets[i], field.bits(), field.type()->layout().size);
  }
  return out.data();
}

void throw_tracked_bits() {
  throw Unsupported("the derivative of a function that is not compiled through the bytes of a number");
}

}  // namespace weft::julia::tracked
