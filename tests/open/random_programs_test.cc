// Random programs with two open extents, compiled once and compared with the evaluator at several. Longer: WEFT_OPEN_PROGRAMS=N, from
// another beginning: WEFT_OPEN_SEED=N.
#include <cstdlib>
#include <sstream>

#include "tests/open/open_check.h"

namespace weft {
namespace {

constexpr int64_t kN = -1, kM = -2;  // the open extents

struct Val {
  std::string name;
  std::vector<int64_t> dims;
};

class Programs {
 public:
  explicit Programs(uint32_t seed) : rng_(seed) {}

  /// Arguments: [n, 8], [m, 8], [8, 3], [n], and indices [m].
  std::string next(int ops) {
    body_.str("");
    count_ = 0;
    values_ = {{"%x", {kN, 8}}, {"%y", {kM, 8}}, {"%w", {8, 3}}, {"%v", {kN}}};
    body_ << "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "  %low = stablehlo.constant dense<-3.0> : tensor<f32>\n"
             "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>\n"
             "  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>\n"
             "  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
             "  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n";
    while (ops > 0) ops -= op() ? 1 : 0;
    std::string names, types;
    for (size_t k = 0; k < 3; ++k) {
      const Val& v = values_[values_.size() - 1 - k];
      names += (k ? ", " : "") + v.name;
      types += (k ? ", " : "") + type(v.dims);
    }
    return "func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %w: tensor<8x3xf32>, %v: tensor<?xf32>, %i: "
           "tensor<?x1xi32>) -> (" +
           types + ") {\n" + body_.str() + "  return " + names + " : " + types + "\n}\n";
  }

 private:
  using Dims = std::vector<int64_t>;
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng_); }
  bool coin() { return below(2) == 0; }

  static std::string type(const Dims& dims, const std::string& element = "f32") {
    std::string out = "tensor<";
    for (int64_t d : dims) out += (d < 0 ? "?" : std::to_string(d)) + "x";
    return out + element + ">";
  }
  static std::string list(const Dims& dims) {
    std::string out;
    for (size_t i = 0; i < dims.size(); ++i) out += (i ? ", " : "") + std::to_string(dims[i]);
    return out;
  }
  const Val& any() { return values_[below(values_.size())]; }
  /// A value for which `fits`, or null.
  template <class Fits>
  const Val* some(Fits fits) {
    std::vector<const Val*> found;
    for (const Val& v : values_) {
      if (fits(v)) found.push_back(&v);
    }
    return found.empty() ? nullptr : found[below(found.size())];
  }
  std::string fresh() { return "%t" + std::to_string(count_++); }
  bool add(const std::string& text, Dims dims) {
    const std::string name = fresh();
    body_ << "  " << name << " = " << text << "\n";
    values_.push_back({name, std::move(dims)});
    return true;
  }
  /// "op args : (types) -> type"
  bool add(const std::string& op, const std::vector<Val>& args, const std::string& rest, const Dims& dims) {
    std::string names, types;
    for (size_t i = 0; i < args.size(); ++i) {
      names += (i ? ", " : "") + args[i].name;
      types += (i ? ", " : "") + type(args[i].dims);
    }
    return add(op + " " + names + rest + " : (" + types + ") -> " + type(dims), dims);
  }
  /// The shape as an operand.
  std::string shape(const Dims& dims) {
    std::string parts, types;
    for (size_t i = 0; i < dims.size(); ++i) {
      std::string part = dims[i] == kN ? "%n1" : "%m1";
      if (dims[i] >= 0) {
        part = fresh();
        body_ << "  " << part << " = stablehlo.constant dense<" << dims[i] << "> : tensor<1xi32>\n";
      }
      parts += (i ? ", " : "") + part;
      types += std::string(i ? ", " : "") + "tensor<1xi32>";
    }
    const std::string name = fresh();
    body_ << "  " << name << " = stablehlo.concatenate " << parts << ", dim = 0 : (" << types << ") -> tensor<"
          << dims.size() << "xi32>\n";
    return name;
  }
  static std::string body(const std::string& op, const std::string& element = "f32") {
    return " ({\n  ^bb0(%a: tensor<" + element + ">, %b: tensor<" + element + ">):\n    %s = stablehlo." + op +
           " %a, %b : tensor<" + element + ">\n    stablehlo.return %s : tensor<" + element + ">\n  })";
  }
  static std::string compare(const std::string& how) {
    return " ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.compare " + how +
           ", %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }";
  }
  bool scale(double by) {
    const Val x = values_.back();
    const std::string c = fresh(), b = fresh();
    body_ << "  " << c << " = stablehlo.constant dense<" << by << "> : tensor<f32>\n";
    const std::string s = x.dims.empty() ? "" : shape(x.dims);
    if (!s.empty())
      body_ << "  " << b << " = stablehlo.dynamic_broadcast_in_dim " << c << ", " << s
            << ", dims = [] : (tensor<f32>, tensor<" << x.dims.size() << "xi32>) -> " << type(x.dims) << "\n";
    values_.pop_back();
    return add("stablehlo.multiply " + x.name + ", " + (s.empty() ? c : b) + " : " + type(x.dims), x.dims);
  }

  bool op() {
    const Val x = any();
    const size_t rank = x.dims.size();
    switch (below(20)) {
      case 0: {
        const char* names[] = {"tanh", "sine", "abs", "logistic", "cosine", "negate"};
        return add("stablehlo." + std::string(names[below(6)]) + " " + x.name + " : " + type(x.dims), x.dims);
      }
      case 1:
      case 2: {
        const char* names[] = {"add", "multiply", "subtract", "maximum", "minimum"};
        const Val* y = some([&](const Val& v) { return v.dims == x.dims; });
        return add("stablehlo." + std::string(names[below(5)]) + " " + x.name + ", " + y->name + " : " + type(x.dims),
                   x.dims) &&
               add("stablehlo.sine " + values_.back().name + " : " + type(x.dims), x.dims);
      }
      case 3: {
        if (rank == 0) return false;
        const size_t axis = below(rank);
        Dims to = x.dims;
        to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis));
        const bool sums = coin();
        add("stablehlo.reduce(" + x.name + " init: " + (sums ? "%zero" : "%low") + ") applies stablehlo." +
                (sums ? "add" : "maximum") + " across dimensions = [" + std::to_string(axis) + "] : (" + type(x.dims) +
                ", tensor<f32>) -> " + type(to),
            to);
        return sums ? scale(0.01) : true;
      }
      case 4: {
        if (rank > 1) return false;
        const int64_t extents[] = {kN, kM, 1, 5};
        Dims to = x.dims;
        const size_t at = below(rank + 1);
        to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), extents[below(4)]);
        const std::string s = shape(to);
        return add("stablehlo.dynamic_broadcast_in_dim " + x.name + ", " + s + ", dims = [" +
                       (rank == 0 ? ""
                        : at == 0 ? "1"
                                  : "0") +
                       "] : (" + type(x.dims) + ", tensor<" + std::to_string(to.size()) + "xi32>) -> " + type(to),
                   to);
      }
      case 5:
        if (rank != 2) return false;
        return add("stablehlo.transpose", {x}, ", dims = [1, 0]", {x.dims[1], x.dims[0]});
      case 6:
        if (rank == 0) return false;
        return add("stablehlo.reverse " + x.name + ", dims = [" + std::to_string(below(rank)) + "] : " + type(x.dims),
                   x.dims);
      case 7: {
        if (rank != 2) return false;
        const size_t axis = below(2);
        if (x.dims[axis] < 0 || x.dims[axis] > 40) return false;
        const Val* y = some([&](const Val& v) {
          return v.dims.size() == 2 && v.dims[1 - axis] == x.dims[1 - axis] && v.dims[axis] >= 0 && v.dims[axis] <= 40;
        });
        Dims to = x.dims;
        to[axis] += y->dims[axis];
        return add("stablehlo.concatenate", {x, *y}, ", dim = " + std::to_string(axis), to);
      }
      case 8:
        if (rank == 0) return false;
        return add("\"stablehlo.sort\"(" + x.name + ")" + compare(coin() ? "LT" : "GT") +
                       ") {dimension = " + std::to_string(below(rank)) + " : i64, is_stable = true} : (" +
                       type(x.dims) + ") -> " + type(x.dims),
                   x.dims);
      case 9: {
        if (rank != 2) return false;
        const size_t axis = below(2);
        if (x.dims[axis] < 1 || x.dims[axis] > 40) return false;
        const int64_t low = static_cast<int64_t>(below(3)), high = static_cast<int64_t>(below(3)) - 1,
                      inner = static_cast<int64_t>(below(2));
        Dims to = x.dims;
        to[axis] += low + high + inner * (to[axis] - 1);
        if (to[axis] < 1) return false;
        Dims l(2, 0), h(2, 0), i(2, 0);
        l[axis] = low, h[axis] = high, i[axis] = inner;
        return add("stablehlo.pad " + x.name + ", %zero, low = [" + list(l) + "], high = [" + list(h) +
                       "], interior = [" + list(i) + "] : (" + type(x.dims) + ", tensor<f32>) -> " + type(to),
                   to);
      }
      case 10: {
        if (rank != 2) return false;
        const size_t axis = below(2);
        const bool sums = coin();
        const int64_t width = 1 + static_cast<int64_t>(below(4)),
                      low = static_cast<int64_t>(below(static_cast<size_t>(width)));
        Dims w(2, 1), p(4, 0);
        w[axis] = width, p[2 * axis] = low, p[2 * axis + 1] = width - 1 - low;
        add("\"stablehlo.reduce_window\"(" + x.name + ", " + (sums ? "%zero" : "%low") + ")" +
                body(sums ? "add" : "maximum") + " {window_dimensions = array<i64: " + list(w) +
                ">, padding = dense<[[" + list({p[0], p[1]}) + "], [" + list({p[2], p[3]}) +
                "]]> : tensor<2x2xi64>} : (" + type(x.dims) + ", tensor<f32>) -> " + type(x.dims),
            x.dims);
        return sums ? scale(0.25) : true;
      }
      case 11: {
        if (rank != 2 || x.dims[1] < 1 || x.dims[1] > 60) return false;
        add("\"stablehlo.reduce_window\"(" + x.name + ", %zero)" + body("add") +
                " {window_dimensions = array<i64: 1, " + std::to_string(x.dims[1]) + ">, padding = dense<[[0, 0], [" +
                std::to_string(x.dims[1] - 1) + ", 0]]> : tensor<2x2xi64>} : (" + type(x.dims) + ", tensor<f32>) -> " +
                type(x.dims),
            x.dims);
        return scale(0.1);
      }
      case 12: {
        if (rank != 2 || x.dims[1] < 0) return false;
        const std::string c = std::to_string(x.dims[1]);
        return add("\"stablehlo.gather\"(" + x.name +
                       ", %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
                       "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, " +
                       c + ">} : (" + type(x.dims) + ", tensor<?x1xi32>) -> " + type({kM, x.dims[1]}),
                   {kM, x.dims[1]});
      }
      case 13: {
        if (rank != 2) return false;
        const Val* u =
            some([&](const Val& v) { return v.dims.size() == 2 && v.dims[0] == kM && v.dims[1] == x.dims[1]; });
        if (u == nullptr) return false;
        return add("\"stablehlo.scatter\"(" + x.name + ", %i, " + u->name + ")" + body(coin() ? "add" : "maximum") +
                       " {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                       "inserted_window_dims = "
                       "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (" +
                       type(x.dims) + ", tensor<?x1xi32>, " + type(u->dims) + ") -> " + type(x.dims),
                   x.dims) &&
               add("stablehlo.tanh " + values_.back().name + " : " + type(x.dims), x.dims);
      }
      case 14:
      case 15: {
        if (rank != 2) return false;
        const size_t side = below(2);
        const Val* y = some([&](const Val& v) {
          return v.dims.size() == 2 && (v.dims[0] == x.dims[side] || v.dims[1] == x.dims[side]);
        });
        if (y == nullptr) return false;
        const size_t other = y->dims[0] == x.dims[side] ? 0 : 1;
        return add("stablehlo.dot_general", {x, *y},
                   ", contracting_dims = [" + std::to_string(side) + "] x [" + std::to_string(other) + "]",
                   {x.dims[1 - side], y->dims[1 - other]}) &&
               scale(0.05);
      }
      case 16: {
        const Val* y = some([&](const Val& v) {
          return v.dims.size() == rank && v.dims != x.dims &&
                 std::ranges::equal(v.dims, x.dims,
                                    [](int64_t a, int64_t b) { return a == b || (a >= 0 && b >= 0 && a <= b); });
        });
        if (y == nullptr || rank == 0) return false;
        std::string starts, types;
        for (size_t d = 0; d < rank; ++d) {
          const std::string c = fresh();
          body_ << "  " << c << " = stablehlo.constant dense<" << below(5) << "> : tensor<i32>\n";
          starts += ", " + c;
          types += ", tensor<i32>";
        }
        return add("stablehlo.dynamic_update_slice " + x.name + ", " + y->name + starts + " : (" + type(x.dims) + ", " +
                       type(y->dims) + types + ") -> " + type(x.dims),
                   x.dims);
      }
      case 17: {
        const std::string k = fresh(), one = fresh(), two = fresh(), t = type(x.dims), l = fresh();
        body_ << "  " << k << " = stablehlo.constant dense<0> : tensor<i32>\n  " << one
              << " = stablehlo.constant dense<1> : tensor<i32>\n  " << two
              << " = stablehlo.constant dense<3> : tensor<i32>\n  " << l << ":2 = stablehlo.while(%c = " << k
              << ", %a = " << x.name << ") : tensor<i32>, " << t
              << "\n    cond {\n      %z = stablehlo.compare LT, %c, " << two
              << " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %z : tensor<i1>\n    } do {\n"
              << "      %p = stablehlo.add %c, " << one << " : tensor<i32>\n      %q = stablehlo.sine %a : " << t
              << "\n      %r = stablehlo.add %q, " << x.name << " : " << t
              << "\n      stablehlo.return %p, %r : tensor<i32>, " << t << "\n    }\n";
        return add("stablehlo.tanh " + l + "#1 : " + t, x.dims);
      }
      case 18: {
        if (rank != 2 || x.dims[1] < 3 || x.dims[1] > 40) return false;
        const Dims pooled = {x.dims[0], (x.dims[1] - 3) / 2 + 1};
        const std::string window = "window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>";
        add("\"stablehlo.reduce_window\"(" + x.name + ", %low)" + body("maximum") + " {" + window + "} : (" +
                type(x.dims) + ", tensor<f32>) -> " + type(pooled),
            pooled);
        const std::string source = values_.back().name;
        return add("\"stablehlo.select_and_scatter\"(" + x.name + ", " + source + ", %zero)" + compare("GE") + ", {" +
                       body("add").substr(3) + " {" + window + "} : (" + type(x.dims) + ", " + type(pooled) +
                       ", tensor<f32>) -> " + type(x.dims),
                   x.dims);
      }
      default: {
        const int64_t extents[] = {kN, kM, 7};
        const Dims to = {extents[below(3)], extents[below(3)]};
        const std::string s = shape(to);
        add("stablehlo.dynamic_iota " + s + ", dim = " + std::to_string(below(2)) + " : (tensor<2xi32>) -> " + type(to),
            to);
        return scale(0.01);
      }
    }
  }

  std::mt19937 rng_;
  std::ostringstream body_;
  std::vector<Val> values_;
  int count_ = 0;
};

TEST(OpenRandomPrograms, AgreeWithTheEvaluator) {
  const char* many = std::getenv("WEFT_OPEN_PROGRAMS");
  const char* seed = std::getenv("WEFT_OPEN_SEED");
  const int count = many != nullptr ? std::atoi(many) : 25;
  const uint32_t first = seed != nullptr ? static_cast<uint32_t>(std::atoi(seed)) : 1;
  constexpr int64_t kSizes[][2] = {{0, 0}, {1, 1}, {2, 3}, {7, 5}, {31, 64}, {101, 17}};
  for (uint32_t k = 0; k < static_cast<uint32_t>(count) && !testing::Test::HasFailure(); ++k) {
    const std::string text = Programs(first + k).next(4 + static_cast<int>(k % 14));
    std::vector<std::vector<Shape>> calls;
    // Nothing can be gathered from nothing.
    const bool gathers = text.find("stablehlo.gather") != std::string::npos;
    for (const auto& [n, m] : kSizes) {
      if (n == 0 && gathers) continue;
      calls.push_back({{n, 8}, {m, 8}, {8, 3}, {n}, {m, 1}});
    }
    SCOPED_TRACE("seed " + std::to_string(first + k) + "\n" + text);
    CompileOptions options;
    options.check_memory_plan = true;
    options.guard_pages = k % 3 == 1;
    options.no_libraries = k % 5 == 2;
    if (k % 7 == 3) options.disabled = {"fuse"};
    try {
      check_open(text, calls, 2e-3, options);
    } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
  }
}

}  // namespace
}  // namespace weft
