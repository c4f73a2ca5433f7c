// Forms and slots of one Code.
#include "julia/lower/lowerer.h"

#include <algorithm>

#include "julia/lower/earlier_globals.h"
#include "julia/lower/scope_builder.h"
#include "julia/syntax/literals.h"
#include "julia/syntax/parse.h"

namespace weft::julia {

int Source::line_of(NodeId node) const {
  if (node >= tree.size()) return 0;
  const auto after = std::ranges::upper_bound(line_begins, tree[node].begin);
  return first_line - 1 + static_cast<int>(after - line_begins.begin());
}

namespace {

std::vector<uint32_t> find_line_begins(std::string_view text) {
  std::vector<uint32_t> out = {0};
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    out.push_back(static_cast<uint32_t>(at + 1));
  return out;
}

/// `x::T = v` and `local x::T` anywhere in the source.
void find_declared_types(LoweredSource& source) {
  const Tree& tree = source.tree;
  const auto declare = [&](auto&& self, NodeId target) -> void {
    switch (tree.kind(target)) {
      case Kind::kDeclare: {
        if (!tree[target].has(Node::kInfix)) return;
        NodeId name = tree.child(target, 0);
        if (tree.is(name, Kind::kVarName)) name = tree.child(name, 0);
        const VariableId v = source.scopes[name];
        if (v < kNotAVariable && source.scopes.variables[v].role == Role::kLocal)
          source.declared_types.try_emplace(v, tree.child(target, 1));
        return;
      }
      case Kind::kTuple:
      case Kind::kParens:
      case Kind::kAssign:
        for (const NodeId c : tree.children(target)) {
          self(self, c);
          if (tree.is(target, Kind::kAssign)) return;
        }
        return;
      default: return;
    }
  };
  for (NodeId id = 0; id < tree.size(); ++id) {
    if (tree.is(id, Kind::kAssign)) declare(declare, tree.child(id, 0));
    if (tree.is(id, Kind::kLocal)) {
      for (const NodeId c : tree.children(id)) declare(declare, c);
    }
  }
}

}  // namespace

std::unique_ptr<Code> lower_source(std::string text, const LowerOptions& options,
                                   std::vector<Diagnostic>& diagnostics) {
  return lower_source(std::move(text), options, {}, diagnostics);
}

std::unique_ptr<Code> lower_source(std::string text, const LowerOptions& options, std::unordered_set<Symbol> globals,
                                   std::vector<Diagnostic>& diagnostics) {
  auto source = std::make_shared<LoweredSource>();
  source->name = options.file;
  source->closures = options.closures ? options.closures : std::make_shared<uint32_t>(0);
  source->text = std::move(text);
  source->first_line = options.first_line;
  source->line_begins = find_line_begins(source->text);
  Parsed parsed = parse(source->text);
  const bool ok = parsed.ok();
  source->tree = std::move(parsed.tree);
  std::ranges::move(parsed.diagnostics, std::back_inserter(diagnostics));
  if (!ok) return nullptr;
  ScopeOptions scope_options;
  scope_options.interactive = options.interactive;
  source->scopes = ScopeBuilder(source->tree, diagnostics, scope_options).build(std::move(globals));
  if (has_errors(diagnostics)) return nullptr;
  find_declared_types(*source);
  for (ScopeId s = 0; s < source->scopes.scopes.size(); ++s)
    source->scopes_of[source->scopes.scopes[s].node].push_back(s);
  auto code = std::make_unique<Code>();
  code->source = source;
  code->name = "top-level scope";
  Lowerer(source, *code).top_level(source->tree.root());
  return code;
}

Lowerer::Lowerer(LoweredSourcePtr source, Code& code) : source_(std::move(source)), code_(code) {
  if (!code_.source) code_.source = source_;
}

void Lowerer::top_level(NodeId block) {
  extent_ = at_ = block;
  is_top_level_ = true;
  add_slot("#self#");
  std::vector<FormId> statements;
  for (const NodeId c : children(block)) statements.push_back(lower(c));
  at_ = block;
  code_.body = form(FormKind::kBlock, 0, statements);
}

FormId Lowerer::form(FormKind kind, uint32_t a, std::span<const FormId> children, uint8_t flags) {
  Form f;
  f.kind = kind;
  f.a = a;
  f.flags = flags;
  f.first = static_cast<uint32_t>(code_.children.size());
  f.count = static_cast<uint32_t>(children.size());
  f.node = at_;
  uint8_t jumps = 0;
  for (const FormId c : children) jumps = std::max(jumps, jumps_[c]);
  if (kind == FormKind::kReturn) jumps = kReturns;
  if (kind == FormKind::kContinue) jumps = std::max<uint8_t>(jumps, 1);
  if (kind == FormKind::kBreak) jumps = std::max(jumps, static_cast<uint8_t>(std::min<uint32_t>(a + 1, kReturns - 1)));
  if (kind == FormKind::kWhile || kind == FormKind::kFor) {
    const uint8_t body = jumps_[children.back()];
    if (jumps == body && body != kReturns && body > 0) jumps = static_cast<uint8_t>(body - 1);
  }
  if (jumps > 0) f.flags |= Form::kJumps;
  code_.children.insert(code_.children.end(), children.begin(), children.end());
  code_.forms.push_back(f);
  jumps_.push_back(jumps);
  return static_cast<FormId>(code_.forms.size() - 1);
}

FormId Lowerer::constant(Value v) {
  code_.constants.push_back(std::move(v));
  return form(FormKind::kConstant, static_cast<uint32_t>(code_.constants.size() - 1));
}

FormId Lowerer::refuse(std::string why) {
  code_.constants.push_back(make_string(std::move(why)));
  return form(FormKind::kRefuse, static_cast<uint32_t>(code_.constants.size() - 1));
}

uint32_t Lowerer::global_index(Symbol name, bool in_base) {
  const auto [it, is_new] =
      globals_.try_emplace({name.address(), in_base}, static_cast<uint32_t>(code_.globals.size()));
  if (is_new) {
    GlobalName g;
    g.name = name;
    g.in_base = in_base;
    code_.globals.push_back(g);
  }
  return it->second;
}

FormId Lowerer::global(Symbol name, bool in_base) { return form(FormKind::kGlobal, global_index(name, in_base)); }

uint32_t Lowerer::symbol_index(Symbol name) {
  const auto [it, is_new] = symbols_.try_emplace(name, static_cast<uint32_t>(code_.symbols.size()));
  if (is_new) code_.symbols.push_back(name);
  return it->second;
}

uint32_t Lowerer::name_list(std::vector<Symbol> names) {
  code_.name_lists.push_back(std::move(names));
  return static_cast<uint32_t>(code_.name_lists.size() - 1);
}

FormId Lowerer::call(FormId callee, std::span<const FormId> arguments, CallSite site) {
  std::vector<FormId> all{callee};
  all.insert(all.end(), arguments.begin(), arguments.end());
  for (const FormId a : arguments) site.has_splat |= code_.forms[a].kind == FormKind::kSplat;
  code_.calls.push_back(std::move(site));
  return form(FormKind::kCall, static_cast<uint32_t>(code_.calls.size() - 1), all);
}

FormId Lowerer::block(std::span<const FormId> forms) {
  if (forms.size() == 1) return forms[0];
  return form(FormKind::kBlock, 0, forms);
}

FormId Lowerer::tuple(std::span<const FormId> elements) {
  const bool splats = std::ranges::any_of(elements, [&](FormId e) { return code_.forms[e].kind == FormKind::kSplat; });
  return splats ? base_call("tuple", elements) : form(FormKind::kTuple, 0, elements);
}

SlotId Lowerer::add_slot(Symbol name, VariableId variable, bool is_boxed) {
  Slot slot;
  slot.name = name;
  slot.variable = variable;
  slot.is_boxed = is_boxed;
  code_.slots.push_back(slot);
  const auto id = static_cast<SlotId>(code_.slots.size() - 1);
  if (variable < kNotAVariable) slots_[variable] = id;
  return id;
}

SlotId Lowerer::slot_of(VariableId v) {
  if (const auto it = slots_.find(v); it != slots_.end()) return it->second;
  const Variable& variable = source_->scopes.variables[v];
  return add_slot(variable.name, v, variable.is_boxed());
}

bool Lowerer::is_stable(FormId value) const {
  const FormKind k = code_.forms[value].kind;
  return k == FormKind::kConstant || k == FormKind::kNothing || k == FormKind::kLocal || k == FormKind::kGlobal;
}

FormId Lowerer::stable(FormId value, std::vector<FormId>& before) {
  if (is_stable(value)) return value;
  const SlotId t = temporary();
  before.push_back(set_local(t, value));
  return local(t);
}

bool Lowerer::is_index_word(NodeId id) const {
  const Tok t = tree()[id].token;
  return is(id, Kind::kIdentifier) && (t == Tok::kEndWord || t == Tok::kBegin);
}

bool Lowerer::is_identifier(NodeId id) const {
  return is(id, Kind::kVarName) || (is(id, Kind::kIdentifier) && !is_index_word(id));
}

Symbol Lowerer::name_of(NodeId id) const { return name_value(tree(), inner_name(id)); }

bool Lowerer::is_underscore(NodeId id) const {
  return is_identifier(id) && name_of(id).text().find_first_not_of('_') == std::string::npos;
}

NodeId Lowerer::first_of(NodeId id) const {
  NodeId first = id;
  while (count(id) > 0) {
    id = child(id, 0);
    first = std::min(first, id);
  }
  return first;
}

bool Lowerer::is_dotted(NodeId id) const {
  id = tree().unparen(id);
  switch (kind(id)) {
    case Kind::kDotCall:
    case Kind::kDotAndAnd:
    case Kind::kDotOrOr: return true;
    case Kind::kComparison:
      if (dots_) return true;
      for (size_t i = 1; i < count(id); i += 2) {
        if (is(child(id, i), Kind::kDot)) return true;
      }
      return false;
    case Kind::kCall: return dots_ && !tree()[id].has(Node::kPostfixOp) && !is(child(id, 0), Kind::kInterpolate);
    case Kind::kJuxtapose:
    case Kind::kAndAnd:
    case Kind::kOrOr: return dots_;
    default: return false;
  }
}

}  // namespace weft::julia
