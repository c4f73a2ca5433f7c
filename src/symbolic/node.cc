#include "symbolic/node.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "base/diagnostic.h"
#include "base/format.h"

namespace weft {

namespace symbolic {
namespace {

const Node& node_of(const Expr& e) {
  if (!e.has_value())
    throw UserError("an empty expression is used: make it with placeholder, variable, constant or an operation first");
  return *e.node();
}

void insert_sorted(std::vector<ScopeId>& set, ScopeId s) {
  const auto it = std::ranges::lower_bound(set, s);
  if (it == set.end() || *it != s) set.insert(it, s);
}

bool is_inside(const Node& n, const Body& body) {
  return n.depends_on(body.scope) || (n.id >= body.first_node && n.id < body.end_node);
}

/// The maximal expressions that a body uses and that are not part of it.
void collect_captures(Node& owner, const Body& body) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack;
  const auto visit = [&](const Expr& e) {
    const Node& n = node_of(e);
    if (is_inside(n, body)) {
      if (seen.insert(&n).second) stack.push_back(&n);
    } else if (!n.is_constant()) {
      owner.captures.push_back(e);
    }
  };
  for (const Expr& e : body.results) visit(e);
  while (!stack.empty()) {
    const Node* n = stack.back();
    stack.pop_back();
    for (const Expr& e : n->inputs) visit(e);
    for (const Expr& e : n->captures) visit(e);
  }
}

void remove_duplicates(std::vector<Expr>& exprs) {
  const auto key = [](const Expr& e) { return std::pair(e.node()->id, e.output()); };
  std::ranges::sort(exprs, {}, key);
  const auto rest = std::ranges::unique(exprs, {}, key);
  exprs.erase(rest.begin(), rest.end());
}

/// Expressions that wait for their release on this thread. A plain pointer, since graphs may outlive thread-local objects.
thread_local std::vector<Expr>* doomed = nullptr;

void release(std::vector<Expr>& from, std::vector<Expr>& to) {
  std::ranges::move(from, std::back_inserter(to));
  from.clear();
}

}  // namespace

uint64_t next_id() {
  static std::atomic<uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

Node::Node() : id(next_id()) {}

Node::~Node() {
  std::vector<Expr> own;
  const bool is_outermost = doomed == nullptr;
  if (is_outermost) doomed = &own;
  release(inputs, *doomed);
  release(captures, *doomed);
  for (Body& body : bodies) {
    release(body.args, *doomed);
    release(body.results, *doomed);
  }
  if (!is_outermost) return;
  while (!own.empty()) {
    const Expr last = std::move(own.back());
    own.pop_back();
  }
  doomed = nullptr;
}

bool Node::depends_on(ScopeId s) const { return std::ranges::binary_search(free_scopes, s); }

Loc to_loc(const std::source_location& loc) {
  // The compiler's file name is one pointer per file, so interning is needed once for each.
  thread_local std::unordered_map<const char*, const std::string*> files;
  const std::string*& file = files[loc.file_name()];
  if (file == nullptr) file = intern_file(loc.file_name());
  return {file, loc.line(), loc.column(), 1};
}

Type type_of(const Expr& e) { return node_of(e).types[e.output()]; }

std::vector<Expr> finish(std::shared_ptr<Node> node) {
  for (Type t : node->types) node->shapes.emplace_back(t.shape().begin(), t.shape().end());
  for (const Body& body : node->bodies) collect_captures(*node, body);
  remove_duplicates(node->captures);
  for (const auto* list : {&node->inputs, &node->captures}) {
    for (const Expr& e : *list) {
      for (ScopeId s : node_of(e).free_scopes) insert_sorted(node->free_scopes, s);
    }
  }
  std::vector<Expr> outputs;
  for (size_t i = 0; i < node->types.size(); ++i) outputs.emplace_back(node, i);
  return outputs;
}

std::vector<Expr> make_ops(const Loc& loc, std::vector<Expr> inputs, Emit emit, ScopeId scope) {
  auto node = std::make_shared<Node>();
  node->loc = loc;
  Function scratch("scratch");
  std::vector<Value> args;
  for (const Expr& e : inputs) args.push_back(scratch.add_arg(scratch.body(), type_of(e)));
  OpBuilder builder(scratch, scratch.body());
  builder.loc = loc;
  for (Value v : emit(builder, args)) node->types.push_back(scratch.type(v));
  node->inputs = std::move(inputs);
  node->emit = std::move(emit);
  if (scope != 0) node->free_scopes = {scope};
  return finish(std::move(node));
}

Expr make_op(const Loc& loc, std::vector<Expr> inputs, Emit emit) {
  return make_ops(loc, std::move(inputs), std::move(emit))[0];
}

Expr region_arg(ScopeId scope, Type type, const Loc& loc) {
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kRegionArg;
  node->loc = loc;
  node->scope = scope;
  node->types = {type};
  node->free_scopes = {scope};
  return finish(std::move(node))[0];
}

void fail(std::string_view op, const Loc& loc, const std::string& message) {
  throw UserError("[" + std::string(op) + "] " + message, loc);
}

Expr to_expr(std::string_view op, const Operand& o, std::optional<ElementType> number_type) {
  if (!o.is_number()) {
    if (!o.expr().has_value())
      fail(op, to_loc(o.loc()),
           "an operand is an empty expression: make it with placeholder, variable or an operation first");
    return o.expr();
  }
  const ElementType type = number_type.value_or(o.is_integral() ? ElementType::kI32 : ElementType::kF32);
  return filled(type, {}, o.number(), o.loc());
}

const Expr& tensor_operand(std::string_view op, const Operand& o) {
  if (o.is_number())
    fail(op, to_loc(o.loc()),
         "the operand has no shape: got the number " + format_float(o.number()) + ", expected an expression");
  if (!o.expr().has_value())
    fail(op, to_loc(o.loc()),
         "an operand is an empty expression: make it with placeholder, variable or an operation first");
  return o.expr();
}

int64_t normalize_axis(std::string_view op, const Loc& loc, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    fail(op, loc,
         "axis out of range: got " + std::to_string(axis) + ", expected an axis of rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> normalize_axes(std::string_view op, const Loc& loc, std::vector<int64_t> axes, int64_t rank) {
  if (axes.empty()) {
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  const std::vector<int64_t> given = axes;
  for (int64_t& a : axes) a = normalize_axis(op, loc, a, rank);
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end())
    fail(op, loc, "an axis is named twice: got " + format_list(given) + ", expected distinct axes");
  return axes;
}

std::string describe(const Expr& e) { return type_of(e).str(); }

void expect_expressions(std::string_view op, const Loc& loc, std::string_view what, const std::vector<Expr>& exprs) {
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (!exprs[i].has_value())
      fail(
          op, loc,
          std::string(what) + " " + std::to_string(i) + ": got an empty expression, expected one made by an operation");
  }
}

std::vector<Expr> scope_args(Body& body, std::span<const Type> types, const Loc& loc) {
  for (Type t : types) body.args.push_back(region_arg(body.scope, t, loc));
  return body.args;
}

std::vector<Type> types_of(const std::vector<Expr>& exprs) {
  std::vector<Type> out;
  for (const Expr& e : exprs) out.push_back(type_of(e));
  return out;
}

Body new_scope() {
  Body body;
  body.scope = next_id();
  return body;
}

}  // namespace symbolic

using namespace symbolic;

ElementType Expr::element_type() const { return type_of(*this).element_type(); }

const Shape& Expr::shape() const {
  type_of(*this);
  return node_->shapes[output_];
}

int64_t Expr::dim(int64_t axis) const {
  return shape()[static_cast<size_t>(normalize_axis("dim", node_ ? node_->loc : Loc{}, axis, rank()))];
}

Operand::Operand(const Tensor& t, std::source_location loc) : expr_(constant(t, loc)), loc_(loc) {}

// ---- leaves -------------------------------------------------------------------------------------------------------

Expr placeholder(ElementType type, Shape shape, std::string name, std::source_location loc) {
  for (int64_t d : shape) {
    if (d < 0)
      fail("placeholder", to_loc(loc),
           "a negative extent: got " + format_list(shape) + ", expected extents of 0 or more");
  }
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kPlaceholder;
  node->loc = to_loc(loc);
  node->name = std::move(name);
  node->types = {Type::tensor(type, shape)};
  return finish(std::move(node))[0];
}

Variable variable(const Tensor& initial, std::string name, std::source_location loc) {
  if (!initial)
    fail("variable", to_loc(loc), "the initial value is an empty tensor handle: expected a tensor with elements");
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::kVariable;
  node->loc = to_loc(loc);
  node->name = std::move(name);
  node->types = {Type::tensor(initial.element_type(), initial.shape())};
  node->variable = std::make_shared<VariableState>(initial.clone(), node->name, node->loc);
  finish(node);
  return Variable(node);
}

Tensor Variable::value() const {
  const std::shared_lock lock(node()->variable->mutex);
  return node()->variable->residence.at_home().clone();
}

const Tensor& Variable::storage() const {
  const std::shared_lock lock(node()->variable->mutex);
  return node()->variable->residence.at_home();
}

void Variable::set(const Tensor& value) const {
  VariableState& state = *node()->variable;
  const Type got = Type::tensor(value.element_type(), value.shape());
  if (got != type_of(*this)) {
    fail("variable", state.loc,
         "value set for " + (state.name.empty() ? "a variable" : "\"" + state.name + "\"") + ": got " + got.str() +
             ", expected " + type_of(*this).str());
  }
  if (!value) fail("variable", state.loc, "the value set is an empty tensor handle: expected " + got.str());
  const std::unique_lock lock(state.mutex);
  std::copy_n(static_cast<const std::byte*>(value.raw()), value.size_bytes(),
              static_cast<std::byte*>(state.residence.home().raw()));
  state.residence.changed_at_home();
}

const std::string& Variable::name() const { return node()->variable->name; }

Expr constant(const Tensor& value, std::source_location loc) {
  if (!value) fail("constant", to_loc(loc), "the value is an empty tensor handle: expected a tensor with elements");
  // A copy: the tensor's memory stays the caller's to change.
  const Literal literal = Literal::dense(value.clone());
  return make_op(to_loc(loc), {},
                 [literal](OpBuilder& b, std::span<const Value>) { return std::vector<Value>{b.constant(literal)}; });
}

Expr filled(ElementType type, Shape shape, double value, std::source_location loc) {
  const Type t = Type::tensor(type, shape);
  return make_op(to_loc(loc), {},
                 [=](OpBuilder& b, std::span<const Value>) { return std::vector<Value>{b.splat(t, value)}; });
}

Expr iota(ElementType type, Shape shape, int64_t axis, std::source_location loc) {
  const Type t = Type::tensor(type, shape);
  const int64_t along = normalize_axis("iota", to_loc(loc), axis, t.rank());
  return make_op(to_loc(loc), {},
                 [=](OpBuilder& b, std::span<const Value>) { return std::vector<Value>{b.iota(t, along)}; });
}

}  // namespace weft
