#include "native/aot/extents_function.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "eval/evaluator.h"
#include "native/aot/extent_rules.h"
#include "native/open/own_code.h"
#include "ops/families.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/structural/dynamic.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

/// A call, and what refinement says of it.
struct Trial {
  std::vector<Tensor> arguments;                  // of @extents
  std::optional<OpenProgram::Resolved> resolved;  // none: refused
};

Tensor integers(std::span<const int64_t> values) {
  return Tensor::of<int64_t>(std::vector<int64_t>(values.begin(), values.end()), {static_cast<int64_t>(values.size())});
}

class Writer {
 public:
  explicit Writer(const OpenProgram& program) : program_(program), f_(program.source()), names_(program.names()) {
    find_given();
    make_trials();
  }

  ExtentsFunction run() {
    match();
    ExtentsFunction out;
    out.num_given = given_.size();
    out.module = std::make_unique<Module>();
    Draft draft = begin();
    std::vector<Value> symbols = symbol_values(draft);
    checks(draft, symbols);
    std::vector<Value> results, words;
    for (Value v : symbols) words.push_back(draft.rules->builder().reshape(v, std::vector<int64_t>{1}));
    results.push_back(draft.rules->builder().concatenate(words, 0));
    for (Value v : constants_) results.push_back(*draft.rules->value(v));
    draft.rules->builder().yield(results);
    out.module->add(simplify(*draft.function, nullptr));
    try_all(*out.module);
    return out;
  }

 private:
  /// @extents while it is written.
  struct Draft {
    std::unique_ptr<Function> function;
    std::unique_ptr<ExtentRules> rules;
  };
  /// An extent of a value of the source, or an element of one of its shape operands.
  struct Quantity {
    Value value;
    int64_t index = 0;
    bool is_element = false;
    OpId op;  // where it stands
  };

  // ---- what callers give ----

  void find_given() {
    const Function& named = *program_.function();
    std::set<size_t> symbols;
    for (size_t i = 0; i < f_.args().size(); ++i) {
      const Type t = named.type(named.args()[i]);
      for (int64_t d = 0; t.is_tensor() && d < t.rank(); ++d) {
        const auto p = names_.decode(t.dim(d));
        symbols.insert(p.symbols.begin(), p.symbols.end());
      }
    }
    for (size_t s = 0; s < symbols.size(); ++s) {
      if (symbols.count(s) == 0) throw InternalError("names of arguments do not come first");
      given_.push_back(s);
    }
  }

  std::vector<int64_t> given_of(const OpenProgram::Call& call) const {
    std::vector<int64_t> out(given_.size(), 1);
    const Function& named = *program_.function();
    for (size_t i = 0; i < f_.args().size(); ++i) {
      const Type t = named.type(named.args()[i]);
      for (int64_t d = 0; t.is_tensor() && d < t.rank(); ++d) {
        const auto p = names_.decode(t.dim(d));
        if (p.symbols.size() == 1 && p.coefficient == 1) out[p.symbols[0]] = call.arg_types[i].dim(d);
      }
    }
    return out;
  }

  void try_call(const std::vector<int64_t>& given, const std::vector<Tensor>& elements) {
    const Function& named = *program_.function();
    std::vector<int64_t> values(names_.count(), 0);
    std::ranges::copy(given, values.begin());
    std::vector<Type> types = f_.arg_types();
    constexpr int64_t kMostElements = int64_t{1} << 50;
    for (size_t i = 0; i < types.size(); ++i) {
      if (!types[i].is_tensor()) continue;
      std::vector<int64_t> shape;
      int64_t all = 1;
      for (int64_t d : named.type(named.args()[i]).shape()) {
        shape.push_back(names_.value(d, values));
        all *= std::max<int64_t>(shape.back(), 1);
        if (all > kMostElements) return;
      }
      if (!types[i].is_static()) types[i] = types[i].with_shape(shape);
    }
    Trial trial;
    trial.arguments.push_back(integers(given));
    trial.arguments.insert(trial.arguments.end(), elements.begin(), elements.end());
    try {
      trial.resolved = program_.resolve(types, elements);
    } catch (const UserError&) {
    } catch (const Unsupported&) {
    } catch (const NeedsOwnCode&) {}
    trials_.push_back(std::move(trial));
  }

  void make_trials() {
    const auto calls = program_.example_calls();
    for (const OpenProgram::Call& call : calls) try_call(given_of(call), call.elements);
    const std::vector<int64_t> first = given_of(calls[0]);
    // Elements that are an extent of the example go with it.
    const auto elements_for = [&](const std::vector<int64_t>& given, int64_t otherwise) {
      std::vector<Tensor> out;
      for (const Tensor& t : calls[0].elements) {
        Tensor made(t.element_type(), t.shape());
        const size_t width = byte_size(t.element_type());
        for (int64_t i = 0; i < t.size(); ++i) {
          int64_t x = 0;
          std::memcpy(&x, static_cast<const char*>(t.raw()) + static_cast<size_t>(i) * width, width);
          const auto at = std::ranges::find(first, x);
          if (at != first.end()) x = given[static_cast<size_t>(at - first.begin())];
          else if (otherwise >= 0) x = otherwise;
          std::memcpy(static_cast<char*>(made.raw()) + static_cast<size_t>(i) * width, &x, width);
        }
        out.push_back(std::move(made));
      }
      return out;
    };
    constexpr int64_t kSmall[] = {0, 1, 2, 3, 4, 7, 8, 16, 33, 64, 100};
    for (int64_t n : kSmall) {
      std::vector<int64_t> same(given_.size(), n), rising, falling, times;
      for (size_t k = 0; k < given_.size(); ++k) {
        rising.push_back(n + static_cast<int64_t>(k));
        falling.push_back(n + 3 * static_cast<int64_t>(given_.size() - k));
        times.push_back(first[k] * std::max<int64_t>(n, 1) + n % 3);
      }
      for (const auto& given : {same, rising, falling, times}) {
        try_call(given, elements_for(given, -1));
        if (!calls[0].elements.empty()) try_call(given, elements_for(given, n % 5));
      }
    }
    if (given_.size() < 2) return;
    for (size_t k = 0; k < given_.size(); ++k) {
      for (int64_t n : {0, 1, 5}) {
        std::vector<int64_t> given = first;
        given[k] = n;
        try_call(given, elements_for(given, -1));
      }
    }
  }

  // ---- expressions ----

  Draft begin() const {
    Draft out;
    out.function = std::make_unique<Function>("extents");
    Function& to = *out.function;
    to.set_loc(f_.loc());
    const Value all = to.add_arg(
        to.body(), Type::tensor(ElementType::kI64, std::vector<int64_t>{static_cast<int64_t>(given_.size())}));
    std::vector<Value> elements, given;
    for (size_t a : program_.shape_arguments()) elements.push_back(to.add_arg(to.body(), f_.type(f_.args()[a])));
    OpBuilder b(to, to.body());
    for (int64_t k = 0; k < static_cast<int64_t>(given_.size()); ++k) {
      const int64_t from[] = {k}, end[] = {k + 1};
      given.push_back(b.reshape(b.slice(all, from, end), {}));
    }
    out.rules = std::make_unique<ExtentRules>(program_, to, std::move(given), elements);
    return out;
  }

  template <class Fn>
  void walk(RegionId region, const Fn& fn) const {
    for (OpId id : f_.ops(region)) {
      for (RegionId inner : f_.regions(id)) walk(inner, fn);
      fn(OpView{f_, id});
    }
  }

  /// Of all values, in order; each once for each op that makes or reads it.
  std::vector<Quantity> quantities(ExtentRules& rules) const {
    std::vector<Quantity> out;
    const auto add_extents = [&](Value v, OpId op) {
      const Type t = f_.type(v);
      for (int64_t d = 0; t.is_tensor() && d < t.rank(); ++d) {
        if (t.dim(d) == kDynamic) out.push_back({v, d, false, op});
      }
    };
    for (Value v : f_.args()) add_extents(v, {});
    walk(f_.body(), [&](const OpView& op) {
      for (size_t i : ExtentRules::shape_operands(op)) {
        const Type t = op.operand_type(i);
        if (!rules.value(op.operand(i))) continue;
        for (int64_t k = 0; t.is_static() && k < t.num_elements(); ++k) out.push_back({op.operand(i), k, true, op.id});
      }
      for (size_t i = 0; i < op.num_results(); ++i) add_extents(op.result(i), op.id);
    });
    return out;
  }

  Value expression(Draft& draft, const Quantity& q) const {
    return q.is_element ? draft.rules->element(q.value, q.index) : draft.rules->extent(q.value, q.index);
  }

  std::vector<std::vector<Tensor>> evaluate_all(Draft draft, const std::vector<Value>& results) const {
    draft.rules->builder().yield(results);
    Module module;
    module.add(std::move(draft.function));
    std::vector<std::vector<Tensor>> out;
    for (const Trial& trial : trials_) {
      if (!trial.resolved) continue;
      out.push_back(evaluate(module, "extents", trial.arguments));
    }
    return out;
  }

  /// Finds which quantity each name is, and which value each constant.
  void match() {
    Draft draft = begin();
    quantities_ = quantities(*draft.rules);
    std::vector<Value> results;
    std::map<uint32_t, size_t> column;
    const auto add = [&](Value v) {
      const auto [it, is_new] = column.try_emplace(v.index, results.size());
      if (is_new) results.push_back(v);
      return it->second;
    };
    for (const Quantity& q : quantities_) column_of_.push_back(add(expression(draft, q)));
    std::vector<std::pair<Value, size_t>> computed;
    walk(f_.body(), [&](const OpView& op) {
      for (size_t i = 0; i < op.num_results(); ++i) {
        const std::optional<Value> v = draft.rules->value(op.result(i));
        if (v && draft.rules->depends_on_extents(op.result(i))) computed.emplace_back(op.result(i), add(*v));
      }
    });
    const std::vector<std::vector<Tensor>> rows = evaluate_all(std::move(draft), results);
    std::vector<const OpenProgram::Resolved*> truth;
    for (const Trial& trial : trials_) {
      if (trial.resolved) truth.push_back(&*trial.resolved);
    }
    for (size_t c = 0; c < results.size(); ++c) {
      columns_.emplace_back();
      for (const auto& row : rows) {
        const Tensor& t = row[c];
        columns_.back().push_back(t.element_type() == ElementType::kI64 && t.size() == 1 ? t.data<int64_t>()[0] : 0);
      }
    }
    for (const auto* r : truth) values_.push_back(r->values);
    match_symbols();
    for (size_t k = 0; k < truth[0]->constants.size(); ++k) {
      const auto found = std::ranges::find_if(computed, [&](const auto& c) {
        for (size_t r = 0; r < rows.size(); ++r) {
          const Tensor &got = rows[r][c.second], &want = truth[r]->constants[k];
          if (got.element_type() != want.element_type() || got.size_bytes() != want.size_bytes() ||
              std::memcmp(got.raw(), want.raw(), got.size_bytes()) != 0)
            return false;
        }
        return true;
      });
      if (found == computed.end())
        throw Unsupported(
            "@" + f_.name() + ": a constant depends on extents in a way that libraries cannot compute before a call",
            f_.loc());
      constants_.push_back(found->first);
    }
  }

  void match_symbols() {
    std::set<size_t> used;
    const FunctionReading reading = read_function(*program_.function());
    for (int64_t n : reading.numbers) {
      const auto p = names_.decode(n);
      used.insert(p.symbols.begin(), p.symbols.end());
      if (!p.symbols.empty()) products_.insert(n);
    }
    for (size_t s = 0; s < names_.count(); ++s) {
      if (s < given_.size() || used.count(s) == 0) {
        symbols_.emplace_back(std::nullopt);
        continue;
      }
      const auto is_it = [&](size_t q) {
        for (size_t r = 0; r < values_.size(); ++r) {
          if (columns_[column_of_[q]][r] != values_[r][s]) return false;
        }
        return true;
      };
      size_t q = 0;
      while (q < quantities_.size() && !is_it(q)) ++q;
      if (q == quantities_.size())
        throw Unsupported(
            "@" + f_.name() + ": an extent follows from those of the arguments in a way that libraries cannot compute",
            f_.loc());
      symbols_.emplace_back(q);
    }
  }

  [[noreturn]] void refuse(size_t symbol) const {
    const Function& f = *program_.function();
    const auto holds = [&](std::span<const int64_t> numbers) {
      return std::ranges::any_of(numbers,
                                 [&](int64_t n) { return std::ranges::count(names_.decode(n).symbols, symbol) > 0; });
    };
    const std::string what = "an extent follows from those of the arguments in a way that libraries cannot compute";
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      const OpView op{f, OpId{i}};
      for (size_t r = 0; r < op.num_results(); ++r) {
        if (op.result_type(r).is_tensor() && holds(op.result_type(r).shape()))
          throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + what, op.loc());
      }
    }
    throw Unsupported("@" + f_.name() + ": " + what, f_.loc());
  }

  std::vector<Value> symbol_values(Draft& draft) const {
    std::vector<Value> out;
    for (size_t s = 0; s < names_.count(); ++s) {
      if (s < given_.size()) {
        out.push_back(given_value(draft, s));
      } else {
        out.push_back(symbols_[s] ? expression(draft, quantities_[*symbols_[s]]) : draft.rules->number(0));
      }
    }
    return out;
  }

  Value given_value(Draft& draft, size_t s) const { return draft.rules->given(s); }

  // ---- checks ----

  void expect(Draft& draft, OpId at, Value a, const char* direction, Value b, const std::string& what) const {
    ExtentRules& rules = *draft.rules;
    if (a == b && direction[1] != 'T' && direction[0] != 'N') return;
    const auto x = rules.constant(a), y = rules.constant(b);
    if (x && y) {
      const std::string_view d = direction;
      if ((d == "EQ" && *x == *y) || (d == "LE" && *x <= *y) || (d == "GE" && *x >= *y) || (d == "GT" && *x > *y))
        return;
    }
    OpBuilder& builder = rules.builder();
    builder.loc = at ? f_.loc(at) : f_.loc();
    const std::string op = at ? "[" + std::string(f_.def(at).mnemonic) + "] " : "";
    const Value values[] = {builder.compare(a, b, direction), a, b};
    builder.create("weft.check", values, Attrs{{"message", op + what}});
  }

  void checks(Draft& draft, const std::vector<Value>& symbols) const {
    ExtentRules& rules = *draft.rules;
    const Value zero = rules.number(0);
    // Each extent is the product of names that the program takes it for; where it has none, it is computed and not used.
    std::map<size_t, Value> expected;
    std::set<Value> done;
    for (size_t q = 0; q < quantities_.size(); ++q) {
      const Value e = expression(draft, quantities_[q]);
      const OpId at = quantities_[q].op;
      if (rules.constant(e) || !done.insert(e).second) continue;
      if (!quantities_[q].is_element) expect(draft, at, e, "GE", zero, "an extent would be {}");
      const auto product = product_of(column_of_[q]);
      if (!product) continue;
      Value want = rules.number(product->coefficient);
      for (size_t s : product->symbols) want = rules.binary("multiply", want, symbols[s]);
      expect(draft, at, e, "EQ", want, "extents do not go together: got {}, expected {}");
    }
    walk(f_.body(), [&](const OpView& op) { op_checks(draft, op); });
  }

  std::optional<ExtentNames::Product> product_of(size_t column) const {
    const std::vector<int64_t>& values = columns_[column];
    if (values.size() > 2 && std::ranges::all_of(values, [&](int64_t x) { return x == values[0]; }))
      return ExtentNames::Product{values[0], {}};
    for (int64_t n : products_) {
      bool is_it = true;
      for (size_t r = 0; r < values.size() && is_it; ++r) is_it = names_.value(n, values_[r]) == values[r];
      if (is_it) return names_.decode(n);
    }
    return std::nullopt;
  }

  /// What type rules demand beyond equal extents.
  void op_checks(Draft& draft, const OpView& op) const {
    ExtentRules& rules = *draft.rules;
    const std::string_view m = op.def().mnemonic;
    const Attrs& attrs = op.attrs();
    const Value zero = rules.number(0);
    const auto extent = [&](size_t i, int64_t d) { return rules.extent(op.operand(i), d); };
    const auto expect_at = [&](Value a, const char* direction, Value b, const std::string& what) {
      expect(draft, op.id, a, direction, b, what);
    };
    if (m == "stablehlo.get_dimension_size") {
      expect_at(extent(0, attrs.integer("dimension")), "LE", rules.number(INT32_MAX),
                "extent: got {}, expected one that fits in i32");
    } else if (const auto size = m == "stablehlo.real_dynamic_slice" ? rules.moving_size(op) : std::nullopt) {
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
        expect_at(rules.element(*size, d), "GE", zero, "size: got {}, expected at least {}");
        expect_at(rules.element(*size, d), "LE", extent(0, d), "size: got {}, expected at most the extent {}");
      }
    } else if (m == "stablehlo.real_dynamic_slice") {
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
        const Value start = rules.element(op.operand(1), d), limit = rules.element(op.operand(2), d),
                    stride = rules.element(op.operand(3), d);
        expect_at(start, "GE", zero, "start: got {}, expected at least {}");
        expect_at(start, "LE", limit, "start: got {}, expected at most the limit {}");
        expect_at(limit, "LE", extent(0, d), "limit: got {}, expected at most the extent {}");
        expect_at(stride, "GT", zero, "stride: got {}, expected more than {}");
      }
    } else if (m == "stablehlo.slice" || m == "stablehlo.dynamic_slice") {
      const auto& limits = attrs.ints(m == "stablehlo.slice" ? "limit_indices" : "slice_sizes");
      for (size_t d = 0; d < limits.size(); ++d)
        expect_at(rules.number(limits[d]), "LE", extent(0, static_cast<int64_t>(d)),
                  "limit: got {}, expected at most the extent {}");
    } else if (m == "stablehlo.dynamic_update_slice") {
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d)
        expect_at(extent(1, d), "LE", extent(0, d), "update: got extent {}, expected at most {}");
    } else if (m == "stablehlo.gather" || m == "stablehlo.dynamic_gather") {
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
        const Value size = m == "stablehlo.gather" ? rules.number(attrs.ints("slice_sizes")[static_cast<size_t>(d)])
                                                   : rules.element(op.operand(2), d);
        expect_at(size, "GE", zero, "slice size: got {}, expected at least {}");
        expect_at(size, "LE", extent(0, d), "slice size: got {}, expected at most the extent {}");
      }
    } else if (m == "stablehlo.scatter") {
      const IndexedDims dims = IndexedDims::of_scatter(attrs);
      const std::vector<int64_t> axes = dims.operand_window_axes(op.operand_type(0).rank());
      for (size_t k = 0; k < axes.size(); ++k)
        expect_at(extent(op.num_results() + 1, dims.window[k]), "LE", extent(0, axes[k]),
                  "window: got extent {}, expected at most {}");
    } else if (m == "stablehlo.dynamic_reshape" || m == "stablehlo.reshape") {
      if (op.operand_type(0).is_static() && op.result_type().is_static()) return;
      Value from = rules.number(1), to = from;
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) from = rules.binary("multiply", from, extent(0, d));
      for (int64_t d = 0; d < op.result_type().rank(); ++d)
        to = rules.binary("multiply", to, rules.extent(op.result(), d));
      expect_at(from, "EQ", to, "elements: got {}, expected {}");
    } else if (m == "stablehlo.dynamic_broadcast_in_dim" || m == "stablehlo.broadcast_in_dim") {
      const auto& dims = attrs.ints("broadcast_dimensions");
      for (size_t k = 0; k < dims.size(); ++k) {
        const Value e = extent(0, static_cast<int64_t>(k));
        if (rules.constant(e) != 1)
          expect_at(e, "EQ", rules.extent(op.result(), dims[k]), "extents to broadcast: got {}, expected {}");
      }
    } else if (m == "stablehlo.dynamic_pad") {
      for (int64_t d = 0; d < op.operand_type(0).rank(); ++d)
        expect_at(rules.element(op.operand(4), d), "GE", zero, "interior padding: got {}, expected at least {}");
    } else if (m == "stablehlo.set_dimension_size") {
      const Value size = rules.element(op.operand(1), 0);
      expect_at(size, "GE", zero, "size: got {}, expected at least {}");
      expect_at(size, "LE", extent(0, attrs.integer("dimension")), "size: got {}, expected at most {}");
    } else if (m == "chlo.top_k") {
      expect_at(rules.number(attrs.integer("k")), "LE", extent(0, op.operand_type(0).rank() - 1),
                "k: got {}, expected at most the extent {}");
    } else if (m == "stablehlo.custom_call" && op.num_results() == 0 &&
               attrs.text_or("call_target_name", "") == "shape_assertion") {
      assertion(draft, op);
    }
    // Shape operands say what the declared type has.
    if (is_dynamic_op(op.def()) && (m == "stablehlo.dynamic_reshape" || m == "stablehlo.dynamic_broadcast_in_dim" ||
                                    m == "stablehlo.dynamic_iota")) {
      const Value shape = op.operand(m == "stablehlo.dynamic_iota" ? 0 : 1);
      for (int64_t d = 0; d < op.result_type().rank(); ++d)
        expect_at(rules.element(shape, d), "EQ", rules.extent(op.result(), d), "extent: got {}, expected {}");
    }
  }

  void assertion(Draft& draft, const OpView& op) const {
    ExtentRules& rules = *draft.rules;
    const std::optional<Value> condition = rules.value(op.operand(0));
    if (!condition)
      throw Unsupported("[shape_assertion] libraries check what follows from extents of arguments", op.loc());
    // Its message has numbers of values, ours takes them in order.
    const std::string text = op.attrs().text_or("error_message", "the shapes do not satisfy it");
    std::vector<Value> values = {*condition};
    std::string message = "[shape_assertion] ";
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
      const std::string digits = end == std::string::npos ? "" : text.substr(i + 1, end - i - 1);
      const bool is_hole = !digits.empty() && digits.size() < 3 &&
                           std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
      const size_t at = is_hole ? std::stoul(digits) + 1 : 0;
      const std::optional<Value> v =
          is_hole && at < op.num_operands() && values.size() < 8 ? rules.value(op.operand(at)) : std::nullopt;
      if (!v) {
        message += text[i];
        continue;
      }
      values.push_back(*v);
      message += "{}";
      i = end;
    }
    rules.builder().loc = op.loc();
    rules.builder().create("weft.check", values, Attrs{{"message", message}});
  }

  // ---- proof ----

  void try_all(const Module& module) const {
    for (const Trial& trial : trials_) {
      std::vector<Tensor> got;
      std::string refusal;
      try {
        got = evaluate(module, "extents", trial.arguments);
      } catch (const UserError& e) { refusal = e.what(); }
      if (!trial.resolved && refusal.empty()) differ(trial, "which the program refuses");
      if (!trial.resolved) continue;
      if (!refusal.empty()) differ(trial, "of which it says: " + refusal);
      for (size_t s = 0; s < names_.count(); ++s) {
        if ((s < given_.size() || symbols_[s]) && got[0].data<int64_t>()[s] != trial.resolved->values[s])
          differ(trial, "where an extent is " + std::to_string(trial.resolved->values[s]) + " and not " +
                            std::to_string(got[0].data<int64_t>()[s]));
      }
      for (size_t k = 0; k < constants_.size(); ++k) {
        const Tensor &a = got[k + 1], &b = trial.resolved->constants[k];
        if (a.size_bytes() != b.size_bytes() || std::memcmp(a.raw(), b.raw(), a.size_bytes()) != 0)
          differ(trial, "where a constant has another value");
      }
    }
  }

  [[noreturn]] void differ(const Trial& trial, const std::string& how) const {
    std::string extents;
    for (int64_t k = 0; k < trial.arguments[0].size(); ++k)
      extents += (k > 0 ? ", " : "") + std::to_string(trial.arguments[0].data<int64_t>()[static_cast<size_t>(k)]);
    throw Unsupported("@" + f_.name() + ": libraries compute extents by rules that do not hold for the extents " +
                          extents + ", " + how,
                      f_.loc());
  }

  const OpenProgram& program_;
  const Function& f_;
  const ExtentNames& names_;
  std::vector<size_t> given_;  // symbols, 0 to their number
  std::vector<Trial> trials_;
  std::vector<Quantity> quantities_;
  std::vector<size_t> column_of_;               // of each quantity
  std::vector<std::vector<int64_t>> columns_;   // its values in the trials that are well formed
  std::vector<std::vector<int64_t>> values_;    // of the symbols in these
  std::vector<std::optional<size_t>> symbols_;  // which quantity each is
  std::set<int64_t> products_;                  // that the program holds
  std::vector<Value> constants_;                // of the source
};

}  // namespace

ExtentsFunction write_extents_function(const OpenProgram& program) { return Writer(program).run(); }

}  // namespace weft::native
