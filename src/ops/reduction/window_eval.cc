#include "ops/contraction/convolution.h"
#include "ops/reduction/window_rules.h"
#include "ops/strided_walk.h"

namespace weft {

Window::Window(const Attrs& attrs, int64_t rank) {
  const size_t n = static_cast<size_t>(rank);
  dimensions = attrs.ints("window_dimensions");
  strides = attrs.ints_or("window_strides", n, 1);
  base_dilations = attrs.ints_or("base_dilations", n, 1);
  window_dilations = attrs.ints_or("window_dilations", n, 1);
  padding = attrs.ints_or("padding", 2 * n, 0);
}

Window Window::over_lanes() const {
  Window w = *this;
  for (std::vector<int64_t>* list : {&w.dimensions, &w.strides, &w.base_dilations, &w.window_dilations})
    list->insert(list->begin(), 1);
  w.padding.insert(w.padding.begin(), 2, 0);
  return w;
}

bool Window::is_dilated() const {
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (base_dilations[d] != 1 || window_dilations[d] != 1) return true;
  }
  return false;
}

std::vector<int64_t> Window::counts(std::span<const int64_t> shape) const {
  std::vector<int64_t> out;
  for (size_t d = 0; d < shape.size(); ++d) {
    out.push_back(num_windows(shape[d], base_dilations[d], padding[2 * d], padding[2 * d + 1], dimensions[d],
                              window_dilations[d], strides[d]));
  }
  return out;
}

Attrs Window::reduce_attrs() const {
  Attrs attrs = select_attrs();
  attrs.set("base_dilations", base_dilations);
  attrs.set("window_dilations", window_dilations);
  return attrs;
}

Attrs Window::select_attrs() const {
  return Attrs{{"window_dimensions", dimensions}, {"window_strides", strides}, {"padding", padding}};
}

WindowWalk::WindowWalk(const Window& window, std::span<const int64_t> shape)
    : shape_(shape.begin(), shape.end()), out_shape_(window.counts(shape)), window_(window) {
  const std::vector<int64_t> strides = row_major_strides(shape);
  for (size_t d = 0; d < shape_.size(); ++d) {
    std::vector<int64_t> offsets;
    for (int64_t o = 0; o < out_shape_[d]; ++o) {
      for (int64_t k = 0; k < window.dimensions[d]; ++k) {
        const int64_t at = o * window.strides[d] + k * window.window_dilations[d] - window.padding[2 * d],
                      base = window.base_dilations[d];
        offsets.push_back(at >= 0 && at % base == 0 && at / base < shape_[d] ? at / base * strides[d] : -1);
      }
    }
    offsets_.push_back(std::move(offsets));
  }
}

const std::vector<int64_t>& WindowWalk::elements(std::span<const int64_t> index) {
  elements_.assign(1, 0);
  for (size_t d = 0; d < index.size(); ++d) {
    const int64_t extent = window_.dimensions[d];
    const int64_t* axis = offsets_[d].data() + index[d] * extent;
    if (extent == 1 && axis[0] >= 0) {
      for (int64_t& e : elements_) e = e < 0 ? e : e + axis[0];
      continue;
    }
    scratch_.clear();
    for (int64_t e : elements_) {
      for (int64_t k = 0; k < extent; ++k) scratch_.push_back(e < 0 || axis[k] < 0 ? -1 : e + axis[k]);
    }
    elements_.swap(scratch_);
  }
  return elements_;
}

namespace {

std::byte* at(const Tensor& t, int64_t i) {
  return static_cast<std::byte*>(t.raw()) + i * static_cast<int64_t>(byte_size(t.element_type()));
}

}  // namespace

std::vector<EvalValue> eval_reduce_window(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const size_t n = op.num_results();
  std::vector<ElementType> elements;
  for (size_t i = 0; i < n; ++i) elements.push_back(op.result_type(i).element_type());
  const BodyKind kind = classify_body(op.function, op.region(0));
  // As reduce: sums and products of floats of 16 bits and less keep their running value in f32.
  if (n == 1 && (kind == BodyKind::kAdd || kind == BodyKind::kMultiply) && is_float(elements[0]) &&
      byte_size(elements[0]) <= 2) {
    elements[0] = ElementType::kF32;
  }
  BodyRunner body(context, op.function, op.region(0), elements);
  WindowWalk windows(Window(op.attrs(), operands[0].tensor.rank()), operands[0].tensor.shape());
  std::vector<Tensor> inputs, inits, results;
  for (size_t i = 0; i < n; ++i) {
    inputs.push_back(convert_tensor(context, operands[i].tensor, elements[i]));
    inits.push_back(convert_tensor(context, operands[n + i].tensor, elements[i]));
    results.emplace_back(elements[i], windows.out_shape());
  }
  StridedWalk<0> walk(windows.out_shape(), {});
  int64_t o = 0;
  std::vector<std::byte*> acc(n);
  std::vector<const std::byte*> x(n);
  Tensor seen;  // the elements of one window, side by side
  if (!walk.empty()) {
    do {
      const std::vector<int64_t>& window = windows.elements(walk.index());
      for (size_t i = 0; i < n; ++i) {
        acc[i] = at(results[i], o);
        std::memcpy(acc[i], inits[i].raw(), byte_size(elements[i]));
      }
      if (FoldFn* fold = body.fold()) {
        const int64_t count = static_cast<int64_t>(window.size());
        if (!seen) seen = Tensor(elements[0], {count});
        visit_size(byte_size(elements[0]), [&](auto tag) {
          using T = decltype(tag);
          const T* from = static_cast<const T*>(inputs[0].raw());
          const T init = *static_cast<const T*>(inits[0].raw());
          T* to = static_cast<T*>(seen.raw());
          for (int64_t e : window) *to++ = e < 0 ? init : from[e];
        });
        fold(acc[0], 0, seen.raw(), 1, count);
      } else {
        for (int64_t e : window) {
          for (size_t i = 0; i < n; ++i)
            x[i] = e < 0 ? static_cast<const std::byte*>(inits[i].raw()) : at(inputs[i], e);
          body.run(acc, x);
        }
      }
      ++o;
    } while (walk.next());
  }
  std::vector<EvalValue> out;
  for (size_t i = 0; i < n; ++i)
    out.emplace_back(convert_tensor(context, results[i], op.result_type(i).element_type()));
  return out;
}

std::vector<EvalValue> eval_select_and_scatter(EvalContext& context, const OpView& op,
                                               std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const ElementType element = op.result_type().element_type();
  const Tensor source = convert_tensor(context, operands[1].tensor, element),
               init = convert_tensor(context, operands[2].tensor, element);
  Tensor result(element, x.shape());
  for (int64_t i = 0; i < result.size(); ++i) std::memcpy(at(result, i), init.raw(), byte_size(element));
  BodyRunner scatter(context, op.function, op.region(1), {element});
  SelectFn* select = select_function(classify_select(op.function, op.region(0)).direction, x.element_type());
  const auto keeps = [&](int64_t a, int64_t b) {
    if (select != nullptr) return select(at(x, a), at(x, b));
    Tensor left(x.element_type(), {}), right(x.element_type(), {});
    std::memcpy(left.raw(), at(x, a), left.size_bytes());
    std::memcpy(right.raw(), at(x, b), right.size_bytes());
    const EvalValue args[] = {EvalValue(std::move(left)), EvalValue(std::move(right))};
    return context.run_region(op.region(0), args)[0].tensor.scalar<bool>();
  };
  WindowWalk windows(Window(op.attrs(), x.rank()), x.shape());
  StridedWalk<0> walk(windows.out_shape(), {});
  if (walk.empty()) return {EvalValue(std::move(result))};
  int64_t o = 0;
  do {
    int64_t chosen = -1;
    for (int64_t e : windows.elements(walk.index())) {
      if (e >= 0 && (chosen < 0 || !keeps(chosen, e))) chosen = e;
    }
    // A window that sees only padding selects nothing.
    if (chosen >= 0) {
      std::byte* acc[] = {at(result, chosen)};
      const std::byte* update[] = {at(source, o)};
      scatter.run(acc, update);
    }
    ++o;
  } while (walk.next());
  return {EvalValue(std::move(result))};
}

}  // namespace weft
