#include "julia/intrinsics/reader.h"

#include <unordered_map>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/types/subtype.h"

namespace weft::julia {

bool is_abstract_array(const Value& v) {
  if (!v.is_defined()) return false;
  if (is_array(v)) return true;
  static thread_local std::unordered_map<const DataType*, bool> known;
  const auto [it, is_new] = known.try_emplace(v.type(), false);
  if (is_new) it->second = subtype(v.type(), core().abstract_array);
  return it->second;
}

bool is_tuple(const Value& v) { return v.is_defined() && v.type()->is_tuple; }

const Type* base_type(Evaluator& e, const char* name) {
  const Binding* b = find_binding(e.base(), Symbol(name));
  if (b == nullptr || !b->value.is_type()) throw InternalError(std::string("Base has no type ") + name);
  return b->value.as_type();
}

bool has_wrapper(const Value& v, const Type* wrapper) {
  const auto* primary = as<DataType>(unwrap_union_all(wrapper));
  return v.is_defined() && primary != nullptr && v.type()->name == primary->name;
}

std::vector<int64_t> extents_of(Evaluator& e, const Value& v) {
  if (is_array(v)) return array_of(v).dims;
  if (is_tuple(v)) return {static_cast<int64_t>(field_count(v))};
  if (!is_abstract_array(v)) return {};
  if (const auto look = look_at(v)) return look->dims;
  const Value size = e.call_base("size", {v});
  std::vector<int64_t> out;
  for (size_t i = 0; i < field_count(size); ++i) out.push_back(get_field(size, i).get<int64_t>());
  return out;
}

Value size_tuple(const std::vector<int64_t>& dims) {
  std::vector<Value> out;
  out.reserve(dims.size());
  for (const int64_t d : dims) out.push_back(number(d));
  return make_tuple(std::move(out));
}

Reader::Reader(Evaluator& e, const Value& v) : evaluator_(e), value_(v), dims_(extents_of(e, v)) {
  if (is_array(v)) what_ = What::kArray;
  else if (is_tuple(v)) what_ = What::kTuple;
  else if (is_abstract_array(v)) {
    look_ = look_at(v);
    what_ = look_ ? What::kLook : What::kCall;
  }
}

int64_t Reader::length() const {
  int64_t n = 1;
  for (const int64_t d : dims_) n *= d;
  return n;
}

const Type* Reader::element() const {
  if (what_ == What::kArray) return array_of(value_).element;
  if (what_ == What::kLook) return look_->element;
  if (what_ == What::kCall) {
    const Value t = evaluator_.call_base("eltype", {value_});
    return t.is_type() ? t.as_type() : core().any;
  }
  return what_ == What::kScalar ? value_.type() : nullptr;
}

Value Reader::at(int64_t position) const {
  switch (what_) {
    case What::kScalar: return value_;
    case What::kTuple: return get_field(value_, static_cast<size_t>(position));
    case What::kArray: {
      Value v = get_element(array_of(value_), position);
      if (!v.is_defined()) throw_undef_ref_error();
      return v;
    }
    default: break;
  }
  std::vector<int64_t> index(dims_.size());
  for (size_t d = 0; d < dims_.size(); ++d) {
    index[d] = position % dims_[d];
    position /= dims_[d];
  }
  return at(index);
}

Value Reader::at(const std::vector<int64_t>& index) const {
  const auto place = [&](size_t d) { return dims_[d] == 1 ? 0 : index[d]; };
  switch (what_) {
    case What::kScalar: return value_;
    case What::kTuple: return get_field(value_, static_cast<size_t>(place(0)));
    case What::kArray: {
      int64_t position = 0, step = 1;
      for (size_t d = 0; d < dims_.size(); ++d) {
        position += place(d) * step;
        step *= dims_[d];
      }
      return at(position);
    }
    case What::kLook: {
      std::vector<int64_t> places(dims_.size());
      for (size_t d = 0; d < dims_.size(); ++d) places[d] = place(d);
      Value v = look_->at(places.data());
      if (!v.is_defined()) throw_undef_ref_error();
      return v;
    }
    case What::kCall: {
      std::vector<Value> arguments{value_};
      for (size_t d = 0; d < dims_.size(); ++d) arguments.push_back(number(place(d) + 1));
      return evaluator_.call(evaluator_.base_function("getindex"), arguments);
    }
  }
  return {};
}

void Collector::add(Value v) {
  const Type* t = v.type();
  if (element_ == nullptr) element_ = t;
  else if (element_ != t && !subtype(t, element_)) element_ = promote_type_join(element_, t);
  values_.push_back(std::move(v));
}

Value Collector::array(std::vector<int64_t> dims, const Type* of_none) {
  return make_array(element_ == nullptr ? of_none : element_, std::move(dims), std::move(values_));
}

Value Collector::bits(std::vector<int64_t> dims, const Type* of_none) {
  if ((element_ == nullptr ? of_none : element_) != core().bool_) return array(std::move(dims), of_none);
  const Value out = make_bit_array(std::move(dims));
  for (size_t i = 0; i < values_.size(); ++i) set_element(array_of(out), static_cast<int64_t>(i), values_[i]);
  return out;
}

Value sample_of(const Type* t) {
  if (const auto kind = number_kind(t)) return convert_number(*kind, boolean(true));
  if (t == core().string) return make_string("1");
  if (t == core().char_) return make_char('a');
  const auto* d = as<DataType>(t);
  if (d == nullptr || !d->is_concrete || d->is_mutable() || d->is_primitive() || d->name->is_opaque) return {};
  std::vector<Value> fields;
  for (const Type* f : d->field_types()) {
    fields.push_back(sample_of(f));
    if (!fields.back().is_defined()) return {};
  }
  return make_struct(d, std::move(fields));
}

namespace {

/// Whether a call may do more than give a value: then it is not tried.
bool may_act(const Value& f) {
  if (f.is_type()) return false;
  if (f.is_reference()) return f.object()->kind != ObjectKind::kFields || f.type()->is_mutable();
  const std::string& name = f.type()->name->function ? f.type()->name->function.text() : f.type()->name->name.text();
  return name.starts_with("print") || name.starts_with("show") || name.starts_with("display") || name.ends_with('!');
}

}  // namespace

Value sample_call(Evaluator& e, const Value& f, std::span<const Value> samples) {
  if (may_act(f)) return {};
  for (const Value& s : samples) {
    if (!s.is_defined()) return {};
  }
  try {
    return e.call(f, samples);
  } catch (const JuliaError&) { return {}; }
}

}  // namespace weft::julia
