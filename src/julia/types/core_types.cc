#include "julia/types/core_types.h"

#include <atomic>
#include <unordered_map>

#include "julia/types/roots.h"
#include "julia/types/type_reader.h"
#include "weft/error.h"

namespace weft::julia {

extern const char* const kBuiltinTypes;

namespace {

struct Names {
  std::unordered_map<std::string, const Type*> types;
  std::vector<std::string> order;
  void define(std::string_view name, const Type* t) {
    if (types.emplace(name, t).second) order.emplace_back(name);
    // "Base.OneTo" is found as "OneTo" too: tests and the C++ side write the short form.
    const size_t dot = name.rfind('.');
    if (dot != std::string_view::npos) types.emplace(name.substr(dot + 1), t);
  }
};

Names& making() {
  static auto& n = *new Names;
  return n;
}

const Type* lookup(std::string_view name) {
  const auto it = making().types.find(std::string(name));
  return it == making().types.end() ? nullptr : it->second;
}

const DataType* data(std::string_view name) {
  const Type* t = lookup(name);
  const auto* d = t == nullptr ? nullptr : as<DataType>(t);
  if (d == nullptr) throw InternalError("the table of builtin types lacks " + std::string(name));
  return d;
}

const Type* any_kind(std::string_view name) {
  const Type* t = lookup(name);
  if (t == nullptr) throw InternalError("the table of builtin types lacks " + std::string(name));
  return t;
}

/// Set while the table is read: what is asked meanwhile sees what there is.
thread_local bool is_reading = false;

constinit CoreTypes storage{};
constinit std::atomic<bool> is_read = false;

void read_all() {
  is_reading = true;
  const Roots& r = roots();
  Names& n = making();
  for (const TypeName* name : {r.any_name, r.tuple_name, r.named_tuple_name, r.type_name})
    n.define(name->name.text(), name->wrapper);
  n.define("Union", r.bottom);
  n.define("Symbol", r.symbol);
  for (const DataType* d = r.int64; d != r.any; d = d->super()) n.define(d->name->name.text(), d);
  read_declarations(kBuiltinTypes, "Base", lookup, [&](std::string_view name, const Type* t) { n.define(name, t); });

  CoreTypes& c = storage;
  c.bottom = r.bottom;
  c.any = r.any;
  c.tuple0 = make_tuple_type({});
  c.nothing = data("Nothing"), c.missing = data("Missing"), c.symbol = r.symbol, c.string = data("String");
  c.char_ = data("Char"), c.bool_ = data("Bool"), c.module = data("Module"), c.function = data("Function");
  c.exception = data("Exception");
  c.number = data("Number"), c.real = data("Real"), c.integer = data("Integer"), c.signed_ = data("Signed");
  c.unsigned_ = data("Unsigned"), c.abstract_float = data("AbstractFloat");
  c.int8 = data("Int8"), c.int16 = data("Int16"), c.int32 = data("Int32"), c.int64 = r.int64, c.int128 = data("Int128");
  c.uint8 = data("UInt8"), c.uint16 = data("UInt16"), c.uint32 = data("UInt32"), c.uint64 = data("UInt64");
  c.uint128 = data("UInt128");
  c.float16 = data("Float16"), c.float32 = data("Float32"), c.float64 = data("Float64");
  c.data_type = data("DataType"), c.union_all = data("UnionAll"), c.typeof_bottom = data("TypeofBottom");
  c.union_type = data("#Union"), c.type_var = data("TypeVar");
  c.tuple = r.tuple_name->wrapper, c.named_tuple = r.named_tuple_name->wrapper, c.type = r.type_name->wrapper;
  c.array = any_kind("Array"), c.vector = any_kind("Vector"), c.matrix = any_kind("Matrix");
  c.abstract_array = any_kind("AbstractArray"), c.complex = any_kind("Complex"), c.rational = any_kind("Rational");
  c.pair = any_kind("Pair"), c.dict = any_kind("Dict"), c.set = any_kind("Set"), c.ref_value = any_kind("RefValue");
  c.unit_range = any_kind("UnitRange"), c.step_range = any_kind("StepRange"),
  c.step_range_len = any_kind("StepRangeLen");
  c.lin_range = any_kind("LinRange"), c.one_to = any_kind("OneTo"), c.bit_array = any_kind("BitArray");
  c.sub_array = any_kind("SubArray"), c.reshaped_array = any_kind("ReshapedArray"), c.adjoint = any_kind("Adjoint");
  c.transpose = any_kind("Transpose"), c.diagonal = any_kind("Diagonal"), c.val = any_kind("Val");
  c.tuple_name = r.tuple_name, c.named_tuple_name = r.named_tuple_name, c.type_name = r.type_name;
  is_reading = false;
  is_read.store(true, std::memory_order_release);
}

}  // namespace

const CoreTypes& core() {
  if (is_read.load(std::memory_order_acquire) || is_reading) return storage;
  static const bool done = (read_all(), true);
  (void)done;
  return storage;
}

const Type* builtin_type(std::string_view name) {
  core();
  return name.starts_with('#') ? nullptr : lookup(name);
}

std::vector<std::string> builtin_type_names() {
  core();
  return making().order;
}

const DataType* kind_of(const Type* t) {
  switch (t->kind) {
    case TypeKind::kData: return core().data_type;
    case TypeKind::kUnion: return is_bottom(t) ? core().typeof_bottom : core().union_type;
    case TypeKind::kUnionAll: return core().union_all;
    case TypeKind::kVar: return core().type_var;
    default: return core().any;
  }
}

bool is_kind(const Type* t) {
  const CoreTypes& c = core();
  return t == c.data_type || t == c.union_all || t == c.union_type || t == c.typeof_bottom;
}

const DataType* array_type(const Type* element, int64_t rank) {
  return applied(core().array, {element, make_int(rank)});
}

const DataType* applied(const Type* wrapper, std::initializer_list<const Type*> arguments) {
  const auto* d = as<DataType>(apply_type(wrapper, std::span(arguments.begin(), arguments.size())));
  if (d == nullptr) throw InternalError("too few parameters for a type");
  return d;
}

}  // namespace weft::julia
