// The library's definitions of functions wait, as text, until somebody asks for the function's methods: a program uses a small part
// of the library, and starts that much sooner.
#include "julia/run/impl.h"

namespace weft::julia {

void Evaluator::Impl::run_library_file(const LibraryFile& file, Module& module) {
  for (const LibraryPiece& piece : file.pieces) {
    const Waiting w{&file, &piece, &module};
    if (!let_wait(w)) run_piece(w);
  }
}

void Evaluator::Impl::run_piece(const Waiting& w) {
  const LibraryPiece& p = *w.piece;
  run_text(std::string(w.file->text.substr(p.begin, p.end - p.begin)), std::string(w.file->name), *w.module, p.line);
}

bool Evaluator::Impl::let_wait(const Waiting& w) {
  if (w.piece->function.empty()) return false;
  const Symbol name = w.piece->function;
  Binding* b = w.piece->is_applied ? find_binding(*w.module, name) : &own_binding(*w.module, name);
  if (b == nullptr) return false;
  if (!b->value.is_defined() && !w.piece->is_applied) {
    b->value = function_value(name, *w.module);
    b->is_const = true;
  }
  if (!b->value.is_defined()) return false;
  if (b->value.is_type()) {
    const auto* type = as<DataType>(unwrap_union_all(b->value.as_type()));
    if (type == nullptr) return false;
    waiting_constructors[type->name].push_back(w);
    return true;
  }
  if (w.piece->is_applied || !b->value.type()->name->function) return false;
  waiting_functions[b->value.type()->name].push_back(w);
  return true;
}

void Evaluator::Impl::define_waiting(const TypeName* name, bool is_constructor) {
  auto& all = is_constructor ? waiting_constructors : waiting_functions;
  const auto found = all.find(name);
  if (found == all.end()) return;
  std::vector<Waiting> pieces = std::move(found->second);
  all.erase(found);
  size_t done = 0;
  // What an exception (an interrupt, the end of the stack) keeps from being defined goes on waiting.
  struct Scope {
    Impl& impl;
    std::vector<Waiting>& pieces;
    size_t& done;
    std::unordered_map<const TypeName*, std::vector<Waiting>>& all;
    const TypeName* name;
    bool was_library;
    ~Scope() {
      impl.is_library = was_library;
      if (impl.defining.back().is_asked) ++impl.generation;
      impl.defining.pop_back();
      if (done == pieces.size()) return;
      std::vector<Waiting>& rest = all[name];
      rest.insert(rest.begin(), pieces.begin() + static_cast<ptrdiff_t>(done), pieces.end());
    }
  } scope{*this, pieces, done, all, name, is_library};
  is_library = true;
  defining.push_back({name});
  for (; done < pieces.size(); ++done) run_piece(pieces[done]);
}

void Evaluator::Impl::note_question(const TypeName* name) {
  for (Defining& d : defining) d.is_asked = d.is_asked || d.name == name;
}

}  // namespace weft::julia
