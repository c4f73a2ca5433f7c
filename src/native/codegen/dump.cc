#include "native/codegen/dump.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <sstream>

#include "native/codegen/jit.h"

namespace weft::codegen {
namespace {

/// The lines of each function, which stand between its label and its `.Lfunc_end`.
void split_assembly(const std::string& text, const DumpFn& dump) {
  std::istringstream lines(text);
  std::string name, body;
  for (std::string line; std::getline(lines, line);) {
    const size_t type = line.find(",@function");
    if (line.find(".type") != std::string::npos && type != std::string::npos) {
      const size_t begin = line.find_first_not_of(" \t", line.find(".type") + 5);
      name = line.substr(begin, type - begin);
      body.clear();
      continue;
    }
    if (name.empty()) continue;
    if (line.starts_with(".Lfunc_end")) {
      dump("asm", name, body);
      name.clear();
      continue;
    }
    // Unwinding tables say nothing about the code.
    if (line.find(".cfi_") == std::string::npos) body += line + "\n";
  }
}

}  // namespace

void dump_code(const llvm::Module& module, const Isa& isa, const DumpFn& dump) {
  for (const llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    std::string text;
    llvm::raw_string_ostream out(text);
    f.print(out);
    dump("llvm", f.getName().str(), text);
  }
  // Code generation changes what it reads.
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  split_assembly(emit_assembly(*copy, isa), dump);
}

}  // namespace weft::codegen
