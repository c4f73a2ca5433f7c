// Indexing, literals of arrays.
#include <algorithm>
#include <numeric>

#include "julia/host/number.h"
#include "julia/lower/lowerer.h"

namespace weft::julia {

/// `end` or `begin` that means the array around, not one further inside.
bool Lowerer::uses_index_words(NodeId id) const {
  if (is_index_word(id)) return true;
  if (is(id, Kind::kRef)) return uses_index_words(child(id, 0));
  if (is(id, Kind::kQuoteExpr)) return false;
  return uses_index_words(children(id));
}

bool Lowerer::uses_index_words(std::span<const NodeId> ids) const {
  return std::ranges::any_of(ids, [&](NodeId c) { return uses_index_words(c); });
}

FormId Lowerer::index_word(NodeId id) {
  if (index_.empty()) return refuse("`end` inside a function within an index");
  const Index& at = index_.back();
  const Symbol function = tree()[id].token == Tok::kEndWord ? "lastindex" : "firstindex";
  if (at.count == 1 && at.before == kNoForm) return base_call(function, {at.array});
  FormId position = constant(number(static_cast<int64_t>(at.position)));
  if (at.before != kNoForm) position = call(global("+", true), {position, at.before});
  return base_call(function, {at.array, position});
}

std::vector<FormId> Lowerer::indices(std::span<const NodeId> ids, FormId array, CallSite& site) {
  std::vector<FormId> out;
  index_.push_back({array, 0, ids.size(), kNoForm});
  for (const NodeId id : ids) {
    if (is(id, Kind::kSplat)) {
      FormId values = lower(child(id, 0));
      // A splat before `end` moves it.
      if (uses_index_words(ids)) {
        const SlotId t = temporary();
        const FormId length = base_call("length", {local(t)});
        FormId& before = index_.back().before;
        before = before == kNoForm ? length : call(global("+", true), {before, length});
        values = set_local(t, values);
      }
      out.push_back(form(FormKind::kSplat, 0, {values}));
      site.has_splat = true;
      continue;
    }
    ++index_.back().position;
    if (is(id, Kind::kAssign) || is(id, Kind::kParameters)) {
      out.push_back(refuse("keywords in an index"));
    } else {
      out.push_back(lower(id));
    }
  }
  index_.pop_back();
  return out;
}

/// … each to be used twice.
std::vector<FormId> Lowerer::stable_indices(std::span<const NodeId> ids, FormId array, CallSite& site,
                                            std::vector<FormId>& before) {
  std::vector<FormId> out = indices(ids, array, site);
  for (FormId& f : out) {
    if (code_.forms[f].kind == FormKind::kSplat) {
      f = form(FormKind::kSplat, 0, {stable(code_.children_of(f)[0], before)});
    } else {
      f = stable(f, before);
    }
  }
  return out;
}

FormId Lowerer::index(NodeId id) {
  const auto ids = children(id).subspan(1);
  FormId array = lower(child(id, 0));
  std::vector<FormId> before;
  if (uses_index_words(ids)) array = stable(array, before);
  CallSite site;
  std::vector<FormId> all = indices(ids, array, site);
  all.insert(all.begin(), array);
  before.push_back(call(global(views_ ? "maybeview" : "getindex", true), all, site));
  return block(before);
}

FormId Lowerer::vector(NodeId id) {
  const auto elements = children(id);
  if (!elements.empty() && is(elements.back(), Kind::kParameters)) return refuse("`;` after commas in an array");
  return base_call("vect", lower_all(elements));
}

FormId Lowerer::concatenation(NodeId id) {
  const Kind k = kind(id);
  const bool typed = k == Kind::kTypedHcat || k == Kind::kTypedVcat || k == Kind::kTypedNcat;
  const FormId type = typed ? lower(child(id, 0)) : kNoForm;
  const auto elements = children(id).subspan(typed ? 1 : 0);
  const auto has_rows = [&] {
    return std::ranges::any_of(elements, [&](NodeId e) { return is(e, Kind::kRow) || is(e, Kind::kNrow); });
  };
  if (k == Kind::kNcat || k == Kind::kTypedNcat) return block_concatenation(type, id, elements);
  const bool horizontal = k == Kind::kHcat || k == Kind::kTypedHcat;
  if (!horizontal && has_rows()) return rows(type, elements);
  std::vector<FormId> all = lower_all(elements);
  if (typed) all.insert(all.begin(), type);
  return base_call(typed ? (horizontal ? "typed_hcat" : "typed_vcat") : (horizontal ? "hcat" : "vcat"), all);
}

/// [a b; c d].
FormId Lowerer::rows(FormId type, std::span<const NodeId> rows) {
  std::vector<FormId> lengths, all;
  std::vector<std::vector<FormId>> by_row;
  bool has_splat = false;
  for (const NodeId r : rows) {
    const bool is_row = is(r, Kind::kRow);
    by_row.push_back(is_row ? lower_all(children(r)) : lower_all(std::span(&r, 1)));
    for (const FormId f : by_row.back()) has_splat |= code_.forms[f].kind == FormKind::kSplat;
    lengths.push_back(constant(number(static_cast<int64_t>(by_row.back().size()))));
  }
  if (type != kNoForm) all.push_back(type);
  if (has_splat) {
    for (const auto& r : by_row) all.push_back(tuple(r));
    return base_call(type == kNoForm ? "hvcat_rows" : "typed_hvcat_rows", all);
  }
  all.push_back(tuple(lengths));
  for (const auto& r : by_row) all.insert(all.end(), r.begin(), r.end());
  return base_call(type == kNoForm ? "hvcat" : "typed_hvcat", all);
}

/// [a ; b ;; c ; d], [a b ;;; c d].
FormId Lowerer::block_concatenation(FormId type, NodeId id, std::span<const NodeId> elements) {
  const bool nested = std::ranges::any_of(elements, [&](NodeId e) { return is(e, Kind::kRow) || is(e, Kind::kNrow); });
  std::vector<FormId> all;
  if (type != kNoForm) all.push_back(type);
  const Symbol function = type == kNoForm ? "hvncat" : "typed_hvncat";
  const int dimension = tree()[id].dim;
  if (!nested) {
    all.push_back(constant(number(int64_t{dimension})));
    for (const FormId f : lower_all(elements)) all.push_back(f);
    return base_call(function, all);
  }
  // The dimension along which a node's children follow each other: a row's is 2, the others say it.
  const auto along = [&](NodeId n) { return is(n, Kind::kRow) ? 2 : n == id ? dimension : int{tree()[n].dim}; };
  const auto is_nested = [&](NodeId n) { return n == id || is(n, Kind::kRow) || is(n, Kind::kNrow); };
  bool row_first = false;
  const auto find_rows = [&](auto&& self, NodeId n) -> void {
    if (!is_nested(n)) return;
    row_first |= is(n, Kind::kRow);
    for (const NodeId c : n == id ? elements : children(n)) self(self, c);
  };
  find_rows(find_rows, id);
  // The innermost level first: rows, then columns (or the other way round), then the further dimensions.
  std::vector<int> order(static_cast<size_t>(std::max(dimension, 2)));
  std::iota(order.begin(), order.end(), 1);
  if (row_first) std::swap(order[0], order[1]);
  std::vector<std::vector<int64_t>> shape(order.size());
  std::vector<FormId> values;
  // What stands at a level but is no concatenation along it is the only one there.
  const auto fill = [&](auto&& self, NodeId n, size_t level) -> int64_t {
    if (level == 0) {
      if (is_nested(n)) return -1;
      values.push_back(is(n, Kind::kSplat) ? form(FormKind::kSplat, 0, {lower(child(n, 0))}) : lower(n));
      return 1;
    }
    int64_t sum = 0;
    if (is_nested(n) && along(n) == order[level - 1]) {
      for (const NodeId c : n == id ? elements : children(n)) sum += self(self, c, level - 1);
    } else {
      sum = self(self, n, level - 1);
    }
    shape[level - 1].push_back(sum);
    return sum;
  };
  fill(fill, id, order.size());
  const bool even = std::ranges::all_of(shape, [](const std::vector<int64_t>& level) {
    return std::ranges::count(level, level[0]) == std::ssize(level);
  });
  std::vector<FormId> dims;
  if (even) {
    std::vector<int64_t> extents(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      extents[static_cast<size_t>(order[i]) - 1] = i == 0 ? shape[0][0] : shape[i][0] / shape[i - 1][0];
    for (const int64_t e : extents) dims.push_back(constant(number(e)));
  } else {
    for (const auto& level : shape) {
      std::vector<FormId> counts;
      for (const int64_t n : level) counts.push_back(constant(number(n)));
      dims.push_back(tuple(counts));
    }
  }
  all.push_back(tuple(dims));
  all.push_back(constant(boolean(row_first)));
  all.insert(all.end(), values.begin(), values.end());
  return base_call(function, all);
}

FormId Lowerer::comprehension(NodeId id) {
  if (is(id, Kind::kTypedComprehension)) {
    const FormId type = lower(child(id, 0));
    return base_call("collect", {type, generator(child(id, 1))});
  }
  return base_call("collect", {generator(child(id, 0))});
}

FormId Lowerer::generator(NodeId id) { return generator_from(id, 1); }

/// The clauses from one on: Generator(x -> body, xs), with Filter around xs, and Flatten where another `for` follows.
FormId Lowerer::generator_from(NodeId id, size_t at) {
  const NodeId clause = child(id, at);
  const bool filtered = is(clause, Kind::kFilter);
  const NodeId iteration = filtered ? child(clause, 0) : clause;
  std::vector<NodeId> patterns;
  std::vector<FormId> iterators;
  for (const NodeId in : children(iteration)) {
    if (count(in) < 2) return refuse("this iteration");
    patterns.push_back(child(in, 0));
    iterators.push_back(lower(child(in, 1)));
  }
  FormId iterator = iterators.size() == 1 ? iterators[0] : base_call("product", iterators);
  const auto bind = [patterns](Lowerer& inner, SlotId argument, std::vector<FormId>& to) {
    if (patterns.size() == 1) {
      const NodeId p = patterns[0];
      const bool is_argument =
          inner.is_identifier(p) && inner.is_local(p) && inner.slot_of(inner.variable_of(p)) == argument;
      if (!is_argument) to.push_back(inner.store(p, inner.local(argument)));
      return;
    }
    std::vector<FormId> after;
    UnpackForm unpack;
    for (const NodeId p : patterns) {
      const bool plain = inner.is_plain_target(p) && !inner.is_underscore(p);
      const SlotId slot = plain ? inner.slot_of(inner.variable_of(p)) : inner.temporary();
      if (plain && inner.code_.slots[slot].is_boxed) to.push_back(inner.form(FormKind::kNewLocal, slot));
      unpack.slots.push_back(slot);
      if (!plain) after.push_back(inner.store(p, inner.local(slot)));
    }
    inner.code_.unpacks.push_back(std::move(unpack));
    to.push_back(
        inner.form(FormKind::kUnpack, static_cast<uint32_t>(inner.code_.unpacks.size() - 1), {inner.local(argument)}));
    to.insert(to.end(), after.begin(), after.end());
  };
  if (filtered) {
    const NodeId condition = child(clause, 1);
    const FormId test = hidden_closure(clause, {condition}, patterns, [=](Lowerer& inner, SlotId argument) {
      std::vector<FormId> forms;
      bind(inner, argument, forms);
      forms.push_back(inner.lower(condition));
      return inner.block(forms);
    });
    iterator = base_call("Filter", {test, iterator});
  }
  const bool last = at + 1 == count(id);
  std::vector<NodeId> roots{child(id, 0)};
  for (size_t i = at + 1; i < count(id); ++i) roots.push_back(child(id, i));
  const FormId body = hidden_closure(id, roots, patterns, [=](Lowerer& inner, SlotId argument) {
    std::vector<FormId> forms;
    bind(inner, argument, forms);
    if (last) {
      inner.enter_scope(id, inner.child(id, 0), true, forms);
      forms.push_back(inner.lower(inner.child(id, 0)));
    } else {
      forms.push_back(inner.generator_from(id, at + 1));
    }
    return inner.block(forms);
  });
  const FormId generated = base_call("Generator", {body, iterator});
  return last ? generated : base_call("Flatten", {generated});
}

}  // namespace weft::julia
