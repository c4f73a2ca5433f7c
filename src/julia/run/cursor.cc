#include "julia/run/cursor.h"

#include <algorithm>
#include <unordered_map>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/exception.h"

namespace weft::julia {
namespace {

class ArrayCursor final : public Cursor {
 public:
  explicit ArrayCursor(Value v) : value_(std::move(v)), array_(array_of(value_)) {}
  bool next(Value& out) override {
    if (at_ >= array_.length) return false;
    out = get_element(array_, at_++);
    if (!out.is_defined()) throw_undef_ref_error();
    return true;
  }

 private:
  Value value_;
  const ArrayObject& array_;
  int64_t at_ = 0;
};

class TupleCursor final : public Cursor {
 public:
  explicit TupleCursor(Value v) : value_(std::move(v)), count_(field_count(value_)) {}
  bool next(Value& out) override {
    if (at_ >= count_) return false;
    out = get_field(value_, at_++);
    return true;
  }

 private:
  Value value_;
  size_t count_, at_ = 0;
};

class RangeCursor final : public Cursor {
 public:
  explicit RangeCursor(Value v) : value_(std::move(v)), length_(range_length(value_)) {
    if (length_ < 2) return;
    const Value first = range_element(value_, 0), second = range_element(value_, 1);
    is_int_ = first.is(core().int64);
    if (!is_int_) return;
    first_ = first.get<int64_t>();
    step_ = second.get<int64_t>() - first_;
  }
  bool next(Value& out) override {
    if (at_ >= length_) return false;
    out = is_int_ ? number(first_ + at_ * step_) : range_element(value_, at_);
    ++at_;
    return true;
  }

 private:
  Value value_;
  int64_t length_, at_ = 0, first_ = 0, step_ = 0;
  bool is_int_ = false;
};

class GeneratorCursor final : public Cursor {
 public:
  GeneratorCursor(Evaluator& e, const Value& g)
      : evaluator_(e), function_(get_field(g, 0)), inner_(make_cursor(e, get_field(g, 1))) {}
  bool next(Value& out) override {
    Value x;
    if (!inner_->next(x)) return false;
    out = evaluator_.call(function_, std::span<const Value>(&x, 1));
    return true;
  }

 private:
  Evaluator& evaluator_;
  Value function_;
  std::unique_ptr<Cursor> inner_;
};

class FilterCursor final : public Cursor {
 public:
  FilterCursor(Evaluator& e, const Value& f)
      : evaluator_(e), test_(get_field(f, 0)), inner_(make_cursor(e, get_field(f, 1))) {}
  bool next(Value& out) override {
    while (inner_->next(out)) {
      const Value passes = evaluator_.call(test_, std::span<const Value>(&out, 1));
      if (!passes.is(core().bool_)) throw_type_error("if", "", core().bool_, passes);
      if (passes.get<bool>()) return true;
    }
    return false;
  }

 private:
  Evaluator& evaluator_;
  Value test_;
  std::unique_ptr<Cursor> inner_;
};

/// Tuples of values whose types are mostly those of the tuple before.
class TupleMaker {
 public:
  Value make(std::vector<Value> elements) {
    const bool same = type_ != nullptr &&
                      std::ranges::equal(elements, type_->parameters,
                                         [](const Value& v, const Type* t) { return !v.is_type() && v.type() == t; });
    if (same) return make_struct(type_, std::move(elements));
    Value out = make_tuple(std::move(elements));
    type_ = out.type();
    return out;
  }

 private:
  const DataType* type_ = nullptr;
};

class ZipCursor final : public Cursor {
 public:
  ZipCursor(Evaluator& e, const Value& iterators) {
    for (size_t i = 0; i < field_count(iterators); ++i) inner_.push_back(make_cursor(e, get_field(iterators, i)));
  }
  bool next(Value& out) override {
    std::vector<Value> elements(inner_.size());
    for (size_t i = 0; i < inner_.size(); ++i) {
      if (!inner_[i]->next(elements[i])) return false;
    }
    out = tuples_.make(std::move(elements));
    return true;
  }

 private:
  std::vector<std::unique_ptr<Cursor>> inner_;
  TupleMaker tuples_;
};

class EnumerateCursor final : public Cursor {
 public:
  EnumerateCursor(Evaluator& e, const Value& iterable) : inner_(make_cursor(e, iterable)) {}
  bool next(Value& out) override {
    std::vector<Value> pair(2);
    if (!inner_->next(pair[1])) return false;
    pair[0] = number(++count_);
    out = tuples_.make(std::move(pair));
    return true;
  }

 private:
  std::unique_ptr<Cursor> inner_;
  int64_t count_ = 0;
  TupleMaker tuples_;
};

class TakeCursor final : public Cursor {
 public:
  TakeCursor(Evaluator& e, const Value& take)
      : inner_(make_cursor(e, get_field(take, 0))), left_(get_field(take, 1).get<int64_t>()) {}
  bool next(Value& out) override { return left_-- > 0 && inner_->next(out); }

 private:
  std::unique_ptr<Cursor> inner_;
  int64_t left_;
};

class FlattenCursor final : public Cursor {
 public:
  FlattenCursor(Evaluator& e, const Value& iterable) : evaluator_(e), outer_(make_cursor(e, iterable)) {}
  bool next(Value& out) override {
    while (!inner_ || !inner_->next(out)) {
      if (!outer_->next(current_)) return false;
      inner_ = make_cursor(evaluator_, current_);
    }
    return true;
  }

 private:
  Evaluator& evaluator_;
  std::unique_ptr<Cursor> outer_, inner_;
  Value current_;
};

/// The first iterator's elements change fastest.
class ProductCursor final : public Cursor {
 public:
  ProductCursor(Evaluator& e, const Value& iterators) : evaluator_(e), iterators_(iterators) {
    for (size_t i = 0; i < field_count(iterators); ++i) inner_.push_back(make_cursor(e, get_field(iterators, i)));
    current_.resize(inner_.size());
  }
  bool next(Value& out) override {
    if (!advance()) return false;
    out = tuples_.make(current_);
    return true;
  }

 private:
  bool advance() {
    if (is_done_) return false;
    if (!has_begun_) {
      has_begun_ = true;
      for (size_t i = 0; i < inner_.size(); ++i) {
        if (!inner_[i]->next(current_[i])) return !(is_done_ = true);
      }
      return true;
    }
    for (size_t i = 0; i < inner_.size(); ++i) {
      if (inner_[i]->next(current_[i])) return true;
      inner_[i] = make_cursor(evaluator_, get_field(iterators_, i));
      if (!inner_[i]->next(current_[i])) break;
    }
    is_done_ = true;
    return false;
  }

  Evaluator& evaluator_;
  Value iterators_;
  std::vector<std::unique_ptr<Cursor>> inner_;
  std::vector<Value> current_;
  TupleMaker tuples_;
  bool has_begun_ = false, is_done_ = false;
};

class ProtocolCursor final : public Cursor {
 public:
  ProtocolCursor(Evaluator& e, Value v)
      : evaluator_(e), iterable_(std::move(v)), iterate_(e.base_function("iterate")) {}
  bool next(Value& out) override {
    const Value step =
        has_begun_ ? evaluator_.call(iterate_, {iterable_, state_}) : evaluator_.call(iterate_, {iterable_});
    has_begun_ = true;
    if (step.is(core().nothing)) return false;
    if (!step.type()->is_tuple || field_count(step) != 2)
      throw_error("iterate must return nothing or a tuple of a value and a state");
    out = get_field(step, 0);
    state_ = get_field(step, 1);
    return true;
  }

 private:
  Evaluator& evaluator_;
  Value iterable_, iterate_, state_;
  bool has_begun_ = false;
};

enum class Lazy : uint8_t { kOther, kGenerator, kFilter, kZip, kEnumerate, kTake, kFlatten, kProduct };

Lazy lazy_kind(const Value& v) {
  static const auto& kinds = *[] {
    auto* m = new std::unordered_map<const TypeName*, Lazy>;
    for (const auto& [name, kind] :
         std::initializer_list<std::pair<const char*, Lazy>>{{"Generator", Lazy::kGenerator},
                                                             {"Filter", Lazy::kFilter},
                                                             {"Zip", Lazy::kZip},
                                                             {"Enumerate", Lazy::kEnumerate},
                                                             {"Take", Lazy::kTake},
                                                             {"Flatten", Lazy::kFlatten},
                                                             {"ProductIterator", Lazy::kProduct}})
      (*m)[as<DataType>(unwrap_union_all(builtin_type(name)))->name] = kind;
    return m;
  }();
  const auto it = kinds.find(v.type()->name);
  return it == kinds.end() ? Lazy::kOther : it->second;
}

}  // namespace

namespace {

bool is_number_range(const Value& v) {
  return !v.type()->parameters.empty() && number_kind(v.type()->parameters[0]) && is_range(v);
}

}  // namespace

bool has_cursor(const Value& iterable) { return lazy_kind(iterable) != Lazy::kOther || is_number_range(iterable); }

std::unique_ptr<Cursor> make_cursor(Evaluator& e, const Value& iterable) {
  if (is_array(iterable)) return std::make_unique<ArrayCursor>(iterable);
  if (iterable.type()->is_tuple) return std::make_unique<TupleCursor>(iterable);
  switch (lazy_kind(iterable)) {
    case Lazy::kGenerator: return std::make_unique<GeneratorCursor>(e, iterable);
    case Lazy::kFilter: return std::make_unique<FilterCursor>(e, iterable);
    // Without iterators it never ends.
    case Lazy::kZip:
      if (field_count(get_field(iterable, 0)) > 0) return std::make_unique<ZipCursor>(e, get_field(iterable, 0));
      break;
    case Lazy::kEnumerate: return std::make_unique<EnumerateCursor>(e, get_field(iterable, 0));
    case Lazy::kTake: return std::make_unique<TakeCursor>(e, iterable);
    case Lazy::kFlatten: return std::make_unique<FlattenCursor>(e, get_field(iterable, 0));
    case Lazy::kProduct: return std::make_unique<ProductCursor>(e, get_field(iterable, 0));
    case Lazy::kOther: break;
  }
  if (is_number_range(iterable)) return std::make_unique<RangeCursor>(iterable);
  return std::make_unique<ProtocolCursor>(e, iterable);
}

}  // namespace weft::julia
