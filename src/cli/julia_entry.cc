#include "cli/julia_entry.h"

#include <iostream>

#include "base/file.h"
#include "cli/julia.h"
#include "julia/infer/border/entry.h"
#include "julia/run/large_stack.h"
#include "text/print.h"
#include "transform/portable.h"

namespace weft::cli {

bool is_julia_entry(const std::string& file, const std::string& entry) {
  return is_julia(file) && entry.find('(') != std::string::npos;
}

JuliaEntry::JuliaEntry(const std::string& file, const std::string& entry, bool portable) {
  julia::on_large_stack([&] {
    julia::EvaluatorOptions options;  // PROGRAM_FILE stays empty, as where another program includes the source
    options.out = [](std::string_view text) { std::cerr << text; };
    julia::Evaluator evaluator(std::move(options));
    evaluator.run(read_file(file), file, evaluator.main());
    const julia::Entry call = julia::read_entry(evaluator, entry);
    julia::CompileCallOptions how;
    how.without_checks = portable;  // StableHLO has none
    how.has_host = false;
    const julia::TracedCall traced = julia::trace_entry(evaluator, call, how);
    notes_ = julia::leaf_notes(evaluator, call, traced);
    // Writing ops out in StableHLO's needs static extents.
    const bool is_written_out = portable && call.open_extents.empty();
    name_ = is_written_out ? "main" : traced.entry;
    const std::string text =
        is_written_out ? print_module(*portable_program(*traced.program, traced.entry)) : print_module(*traced.program);
    if (portable && !is_written_out && text.find("weft.") != std::string::npos)
      throw Unsupported("entry " + call.name + ": an op that is written out in StableHLO for static extents only");
    file_ = (folder_.path() / (call.name + ".mlir")).string();
    write_file(file_, text);
  });
}

}  // namespace weft::cli
