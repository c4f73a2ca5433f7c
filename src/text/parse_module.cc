#include "base/diagnostic.h"
#include "text/forms.h"
#include "text/parse.h"
#include "text/parser.h"

namespace weft {
namespace text {

Parser::Parser(std::string_view text, const std::string* file) : cursor(text, file), file_(file) {}

std::unique_ptr<Module> Parser::parse() {
  auto module = std::make_unique<Module>();
  module_body(*module, false);
  // A text is the one module in it, or else stands for a module around everything.
  if (module->nested.size() == 1 && module->functions().empty() && module->foreign_ops.empty())
    return std::move(module->nested[0]);
  return module;
}

void Parser::module_body(Module& module, bool braces) {
  const NestingGuard guard(*this);
  while (true) {
    if (braces && cursor.accept('}')) return;
    if (cursor.at_end()) {
      if (braces) cursor.fail_expected("'}'", "a module");
      return;
    }
    const char c = cursor.peek();
    if (c == '#' || c == '!') {
      alias_definition();
      continue;
    }
    if (cursor.accept("{-#")) {
      // Resources: read when a constant asks for one.
      const size_t end = cursor.text().find("#-}", cursor.offset());
      if (end == std::string_view::npos) cursor.fail("the resource section does not end");
      cursor.seek(end + 3);
      continue;
    }
    if (c == '"') {
      const size_t at = cursor.offset();
      const std::string_view name = cursor.raw_string();
      if (name == "builtin.module") {
        generic_module(module);
      } else if (name == "func.func") {
        generic_func(module);
      } else if (name.find('.') == std::string_view::npos || name.starts_with("stablehlo.") ||
                 name.starts_with("chlo.") || name.starts_with("func.")) {
        cursor.fail_at(at, name.size() + 2, "a module holds functions: got \"" + std::string(name) + "\"");
      } else {
        foreign_module_op(module, at);
      }
      optional_location();
      continue;
    }
    const std::string_view word = cursor.peek_word();
    if (word == "module" || word == "builtin.module") {
      cursor.word();
      module_op(module);
    } else if (word == "func.func") {
      func_op(module);
    } else if (word == "sdy.mesh") {
      foreign_module_op(module, cursor.offset());
    } else if (word.find('.') != std::string_view::npos) {
      throw Unsupported("[" + std::string(word) + "] outside of a function is not known to Weft", cursor.here());
    } else {
      cursor.fail_expected("func.func", "a module");
    }
    optional_location();
  }
}

// An op that Weft gives no meaning to: "sdy.mesh"() {…} : () -> (), or sdy.mesh @name = <…> {…}.
void Parser::foreign_module_op(Module& module, size_t start) {
  if (cursor.accept("sdy.mesh")) {
    cursor.symbol();
    cursor.expect('=', "a mesh");
    cursor.expect('<', "a mesh");
    cursor.skip_balanced('>');
    if (cursor.accept('{')) cursor.skip_balanced('}');
  } else {
    cursor.expect("()", "an op of a module");
    if (cursor.accept('<')) cursor.skip_balanced('>');
    if (cursor.accept('(')) cursor.skip_balanced(')');
    if (cursor.accept('{')) cursor.skip_balanced('}');
    cursor.expect(':', "an op of a module");
    cursor.expect("()", "an op of a module");
    cursor.expect("->", "an op of a module");
    cursor.expect("()", "an op of a module");
  }
  module.foreign_ops.push_back(expand_aliases(cursor.text().substr(start, cursor.offset() - start)));
}

void Parser::module_op(Module& outer) {
  Module& module = *outer.nested.emplace_back(std::make_unique<Module>());
  if (cursor.peek() == '@') module.name = cursor.symbol();
  if (cursor.accept_word("attributes")) module.attrs = kept_dictionary();
  cursor.expect('{', "a module");
  module_body(module, true);
}

void Parser::generic_module(Module& outer) {
  Module& module = *outer.nested.emplace_back(std::make_unique<Module>());
  cursor.expect("()", "a module in generic form");
  Attrs attrs;
  if (cursor.accept('<')) {
    attrs = kept_dictionary();
    cursor.expect('>', "a module's properties");
  }
  cursor.expect('(', "a module in generic form");
  cursor.expect('{', "a module");
  if (cursor.accept('^')) {
    cursor.suffix_name("a block");
    cursor.expect(':', "a block");
  }
  module_body(module, true);
  cursor.expect(')', "a module in generic form");
  if (cursor.peek() == '{') {
    Attrs more = kept_dictionary();
    for (const auto& [key, value] : more.entries()) attrs.set(key, value);
  }
  if (const Attr* name = attrs.find("sym_name")) {
    if (const auto* s = name->get_if<std::string>()) module.name = *s;
    attrs.erase("sym_name");
  }
  module.attrs = std::move(attrs);
  type_clause();
}

void Parser::alias_definition() {
  const bool is_type = cursor.peek() == '!';
  cursor.accept(is_type ? '!' : '#');
  const std::string_view name = cursor.suffix_name("an alias");
  cursor.expect('=', "an alias");
  cursor.skip_space();
  const size_t start = cursor.offset();
  if (cursor.peek_word() == "loc") {
    optional_location();
    return;
  }
  // Kept as text: its meaning may depend on where it is used.
  const Loc loc = cursor.here();
  int guard = 0;
  while (!cursor.at_end()) {
    const char c = cursor.peek();
    if (c == '"') {
      cursor.raw_string();
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      cursor.accept(c);
      cursor.skip_balanced(c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>');
    } else if (cursor.accept("->")) {
      continue;
    } else {
      // The next definition begins on a line of its own.
      const size_t at = cursor.offset();
      if (guard > 0 && cursor.text().substr(0, at).find_last_not_of(" \t") != std::string_view::npos) {
        const char before = cursor.text()[cursor.text().substr(0, at).find_last_not_of(" \t")];
        if (before == '\n') break;
      }
      cursor.seek(at + 1);
    }
    ++guard;
  }
  size_t end = cursor.offset();
  while (end > start && std::string_view(" \n\t\r").find(cursor.text()[end - 1]) != std::string_view::npos) --end;
  if (end == start) throw UserError("an alias without a value", loc);
  (is_type ? type_aliases_ : attribute_aliases_)[name] = cursor.text().substr(start, end - start);
}

void Parser::finish_function(Module& module, std::unique_ptr<Function> function,
                             std::optional<std::vector<Type>> results, Loc loc) {
  if (function->is_declaration()) {
    if (function->is_public())
      throw UserError("[func.func] @" + function->name() + ": a function without a body must be private", loc);
    function->declare_results(std::move(*results));
    module.add(std::move(function));
    return;
  }
  // JAX ends comparators with stablehlo.return, and MLIR takes it.
  if (!function->terminator(function->body())) {
    throw UserError("function @" + function->name() + " does not end with return", loc);
  }
  if (results) {
    const OpId last = function->terminator(function->body());
    const std::vector<Type> got = function->result_types();
    if (got.size() != results->size()) {
      throw UserError("[" + std::string(function->def(last).mnemonic) + "] function @" + function->name() +
                          " returns " + std::to_string(got.size()) + " values, its type says " +
                          std::to_string(results->size()),
                      function->loc(last));
    }
    for (size_t i = 0; i < got.size(); ++i) {
      if (got[i] == (*results)[i]) continue;
      throw UserError("[" + std::string(function->def(last).mnemonic) + "] result " + std::to_string(i) + " of @" +
                          function->name() + ": got " + got[i].str() + ", expected " + (*results)[i].str(),
                      function->loc(last));
    }
  }
  module.add(std::move(function));
}

void Parser::func_op(Module& module) {
  const NestingGuard guard(*this);
  const Loc loc = cursor.here();
  cursor.expect_word("func.func", "a function");
  bool is_public = true;
  if (cursor.accept_word("private") || cursor.accept_word("nested")) {
    is_public = false;
  } else {
    cursor.accept_word("public");
  }
  const Loc name_loc = cursor.here();
  function_ = std::make_unique<Function>(cursor.symbol());
  Function& f = *function_;
  f.set_public(is_public);
  f.set_loc(name_loc);
  names_.clear();
  scope_.clear();

  cursor.expect('(', "a function's arguments");
  // A function without a body may have arguments without names.
  const bool has_names = cursor.peek() == '%';
  bool first = true;
  while (cursor.peek() != ')') {
    if (!first) cursor.expect(',', "a function's arguments");
    first = false;
    if (has_names) {
      block_argument(f.body());
    } else {
      f.add_arg(f.body(), type());
    }
    f.arg_attrs().push_back(cursor.peek() == '{' ? kept_dictionary() : Attrs());
    optional_location();
  }
  cursor.expect(')', "a function's arguments");
  std::vector<Type> results;
  if (cursor.accept("->")) {
    if (cursor.accept('(')) {
      while (cursor.peek() != ')') {
        if (!results.empty()) cursor.expect(',', "a function's results");
        results.push_back(type());
        f.result_attrs().push_back(cursor.peek() == '{' ? kept_dictionary() : Attrs());
      }
      cursor.expect(')', "a function's results");
    } else {
      results.push_back(type());
      f.result_attrs().push_back(Attrs());
    }
  }
  if (cursor.accept_word("attributes")) f.attrs() = kept_dictionary();
  if (cursor.peek() != '{' && (!has_names || !is_public)) {
    f.set_declaration(true);
    return finish_function(module, std::move(function_), std::move(results), name_loc);
  }
  if (!has_names && !f.args().empty()) cursor.fail_expected("%name: type", "a function's arguments");
  f.declare_results(results);
  cursor.expect('{', "a function's body");
  while (!cursor.accept('}')) {
    if (cursor.peek() == '^')
      throw Unsupported("a function of more than one block: control flow is structured", cursor.here());
    op(f.body());
  }
  finish_function(module, std::move(function_), std::move(results), loc);
}

void Parser::generic_func(Module& module) {
  const NestingGuard guard(*this);
  const Loc loc = cursor.here();
  cursor.expect("()", "a function in generic form");
  function_ = std::make_unique<Function>("");
  Function& f = *function_;
  names_.clear();
  scope_.clear();
  std::string name, visibility = "public";
  std::vector<Type> args, results;
  bool has_type = false;
  Attrs kept;
  const auto dictionary = [&] {
    cursor.expect('{', "a function's attributes");
    bool first = true;
    while (cursor.peek() != '}') {
      if (!first) cursor.expect(',', "a function's attributes");
      first = false;
      std::string key = cursor.peek() == '"' ? cursor.string() : std::string(cursor.word());
      if (key.empty()) cursor.fail_expected("an attribute's name", "a function's attributes");
      if (!cursor.accept('=')) {
        kept.set(key, Attr());
      } else if (key == "sym_name") {
        name = cursor.string();
      } else if (key == "sym_visibility") {
        visibility = cursor.string();
      } else if (key == "function_type") {
        args = types_in_parentheses();
        cursor.expect("->", "a function type");
        if (cursor.peek() == '(') {
          results = types_in_parentheses();
        } else {
          results = {type()};
        }
        has_type = true;
      } else if (key == "arg_attrs" || key == "res_attrs") {
        auto& list = key == "arg_attrs" ? f.arg_attrs() : f.result_attrs();
        cursor.expect('[', key);
        while (cursor.peek() != ']') {
          if (!list.empty()) cursor.expect(',', key);
          list.push_back(kept_dictionary());
        }
        cursor.expect(']', key);
      } else {
        cursor.skip_space();
        const size_t start = cursor.offset();
        Attr value = attribute();
        kept.set(key, keep(std::move(value), cursor.text().substr(start, cursor.offset() - start)));
      }
    }
    cursor.expect('}', "a function's attributes");
  };
  if (cursor.accept('<')) {
    dictionary();
    cursor.expect('>', "a function's properties");
  }
  cursor.expect('(', "a function in generic form");
  cursor.expect('{', "a function's body");
  if (cursor.accept('^')) {
    cursor.suffix_name("a block");
    if (cursor.accept('(')) {
      while (cursor.peek() != ')') {
        if (!f.args().empty()) cursor.expect(',', "a function's arguments");
        block_argument(f.body());
      }
      cursor.expect(')', "a function's arguments");
    }
    cursor.expect(':', "a block");
  }
  if (f.args().empty() && cursor.peek() == '}') f.set_declaration(true);
  while (!cursor.accept('}')) op(f.body());
  cursor.expect(')', "a function in generic form");
  if (cursor.peek() == '{') dictionary();
  type_clause();
  if (name.empty() || !has_type) throw UserError("a function in generic form needs sym_name and function_type", loc);
  if (f.is_declaration()) {
    for (Type t : args) f.add_arg(f.body(), t);
  }
  if (args != f.arg_types())
    throw UserError("function @" + name + ": the body's arguments are not those of function_type", loc);
  f.set_name(name);
  f.set_public(visibility == "public");
  f.set_loc(loc);
  f.attrs() = std::move(kept);
  f.arg_attrs().resize(args.size());
  f.result_attrs().resize(results.size());
  finish_function(module, std::move(function_), std::move(results), loc);
}

}  // namespace text

std::unique_ptr<Module> parse_unverified(std::string_view text, std::string_view file_name) {
  return text::Parser(text, intern_file(file_name, text)).parse();
}

std::unique_ptr<Module> parse_module(std::string_view text, std::string_view file_name) {
  auto module = parse_unverified(text, file_name);
  verify(*module);
  return module;
}

}  // namespace weft
