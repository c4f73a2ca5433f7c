#include "native/aot/library_header.h"

#include <algorithm>
#include <set>

#include "native/aot/embedded_headers.h"
#include "native/aot/glue_sites.h"
#include "native/aot/open_glue.h"
#include "ops/families.h"

namespace weft::native {
namespace {

/// What an element is in C, and what there is to know about it.
std::string c_element(ElementType t) {
  switch (t) {
    case ElementType::kI1: return "uint8_t (0 or 1)";
    case ElementType::kF16: return "uint16_t (IEEE half precision)";
    case ElementType::kBF16: return "uint16_t (the upper half of a float)";
    case ElementType::kF32: return "float";
    case ElementType::kF64: return "double";
    case ElementType::kC64: return "float pairs (real, imaginary)";
    case ElementType::kC128: return "double pairs (real, imaginary)";
    case ElementType::kIndex: return "int64_t";
    default: break;
  }
  const std::string type(name(t));
  const std::string bits = std::to_string(8 * byte_size(t));
  if (type[0] == 'i') return "int" + bits + "_t" + (type == "i" + bits ? "" : ", one " + type + " each");
  if (type.starts_with("ui") || type[0] == 'u') {
    const std::string own = type.substr(type.find_first_of("0123456789"));
    return "uint" + bits + "_t" + (own == bits ? "" : ", one " + type + " each");
  }
  return "uint" + bits + "_t, one " + type + " each";
}

std::string note(const std::vector<std::string>& notes, size_t i) {
  return i < notes.size() && !notes[i].empty() ? "\n              " + notes[i] : "";
}

std::string describe(const std::string& what, std::span<const Type> types, const std::vector<std::string>& notes) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i) {
    const Type t = types[i];
    out += "     " + what + "[" + std::to_string(i) + "]  " + t.str();
    if (t.is_tensor()) {
      const ElementType part = part_type(t.element_type());
      out += ": " + std::to_string(t.num_bytes()) + " bytes of " + c_element(t.element_type()) + ", aligned to " +
             std::to_string(byte_size(part));
    } else {
      out += ": nothing in memory, NULL will do";
    }
    out += note(notes, i) + "\n";
  }
  return out;
}

/// The same where callers give extents.
std::string describe_open(const std::string& what, std::span<const Type> types, const OpenParts& open,
                          const std::vector<std::string>& notes) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i) {
    const Type t = types[i];
    out += "     " + what + "[" + std::to_string(i) + "]  " + open_type(open, t);
    if (t.is_tensor()) {
      out +=
          ": " + c_element(t.element_type()) + ", aligned to " + std::to_string(byte_size(part_type(t.element_type())));
    } else {
      out += ": nothing in memory, NULL will do";
    }
    out += note(notes, i) + "\n";
  }
  return out;
}

/// Which extents callers give, as the enumeration's comments say it.
std::string describe_extents(const OpenParts& open) {
  const OpenProgram& program = *open.open.program;
  const Function& f = *program.function();
  std::string out;
  for (size_t k = 0; k < open.num_given; ++k) {
    std::string where;
    for (size_t i = 0; i < program.source().args().size(); ++i) {
      const Type t = f.type(f.args()[i]);
      for (int64_t d = 0; t.is_tensor() && d < t.rank(); ++d) {
        const ExtentNames::Product p = program.names().decode(t.dim(d));
        if (p.coefficient != 1 || p.symbols != std::vector<size_t>{k}) continue;
        where += (where.empty() ? "dimension " : ", ") + std::to_string(d) + " of args[" + std::to_string(i) + "]";
      }
    }
    out += "     extents[" + std::to_string(k) + "]  e" + std::to_string(k) + ": " + where + "\n";
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The names of the handlers that the program cannot do without.
std::string handlers(const CompiledProgram& program, bool with_lapack) {
  std::set<std::string> names;
  for (const Site& site : program.host_ops) {
    const OpView op = site.view();
    const std::string mnemonic(op.def().mnemonic);
    const std::string target = mnemonic == "stablehlo.custom_call" ? op.attrs().text("call_target_name") : mnemonic;
    const bool is_built_in = target.starts_with("check.") || target == "weft.check" || target == "weft.print" ||
                             target == "interpreter.print" || target == "stablehlo.replica_id" ||
                             target == "stablehlo.partition_id" || (with_lapack && is_lapack_name(target));
    if (!is_built_in) names.insert(target);
  }
  std::string out;
  for (const std::string& one : names) out += (out.empty() ? "" : ", ") + one;
  return out;
}

/// Text as the paragraph of a comment.
std::string paragraph(const std::string& text) {
  std::string out, line = "  ";
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > 100 && line.size() > 2) {
      out += line + "\n";
      line = "  ";
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string static_calls(const CompiledProgram& program, const std::string& s) {
  return "/* Computes. workspace: NULL, and the library takes memory of its own, which it keeps for later calls; or " +
         s + "_workspace_bytes()\n   bytes at a multiple of 64, for one call at a time. */\nint " + s +
         "(const void* const* args, void* const* results, void* workspace);\n\n"
         "/* Bytes that a call needs beside its arguments and results: " +
         std::to_string(program.workspace_bytes) + ". */\nsize_t " + s + "_workspace_bytes(void);\n\n";
}

std::string open_calls(const CompiledProgram& program, const std::string& s, const OpenParts& open) {
  const std::string u = upper(s);
  const OpenProgram& source = *open.open.program;
  size_t numbers = 0;
  std::string where;
  const std::vector<Type> results = source.function()->result_types();
  for (size_t j = 0; j < results.size(); ++j) {
    const size_t rank = results[j].is_tensor() ? static_cast<size_t>(results[j].rank()) : 0;
    if (rank > 0)
      where += (where.empty() ? "" : ", ") + std::string("shapes[") + std::to_string(numbers) + "]" +
               (rank > 1 ? " to [" + std::to_string(numbers + rank - 1) + "]" : "") + " of results[" +
               std::to_string(j) + "]";
    numbers += rank;
  }
  std::string deciding;
  for (size_t a : source.shape_arguments())
    deciding += (deciding.empty() ? "args[" : ", args[") + std::to_string(a) + "]";
  const std::string looks = deciding.empty() ? "args are not looked at: NULL will do."
                                             : "of args only " + deciding + " is read, whose elements decide extents.";
  return "enum { " + u + "_NUM_EXTENTS = " + std::to_string(open.num_given) + ", " + u +
         "_SHAPE_NUMBERS = " + std::to_string(numbers) +
         " };\n\n/* Computes. workspace: NULL, and the library takes memory of its own, which it keeps for later "
         "calls; "
         "or " +
         s + "_workspace_bytes(extents, args)\n   bytes at a multiple of 64, for one call at a time. */\nint " + s +
         "(const int64_t* extents, const void* const* args, void* const* results, void* workspace);\n\n"
         "/* The extents of the results, in " +
         u + "_SHAPE_NUMBERS numbers:\n" + paragraph(where.empty() ? "none" : where) + paragraph(looks) +
         "   A status as that of " + s + ". */\nint " + s +
         "_result_shapes(const int64_t* extents, const void* const* args, int64_t* shapes);\n\n"
         "/* Bytes that a call with these extents needs beside its arguments and results; SIZE_MAX, and a message, "
         "where\n"
         "   they do not go together. args: as above. */\nsize_t " +
         s + "_workspace_bytes(const int64_t* extents, const void* const* args);\n\n";
}

}  // namespace

std::string library_header(const CompiledProgram& program, const LibraryNames& names, const OpenParts* open) {
  const std::string& s = names.symbol;
  const std::string guard = upper(s) + "_H";
  std::string out = "/* " + s + ", compiled ahead of time for " +
                    (names.cpu == "native" ? "the CPU that built it" : names.cpu) + ".\n\n";
  if (open != nullptr) {
    const Function& f = *open->open.program->function();
    std::vector<Type> types = f.arg_types();
    types.resize(program.arg_types.size());
    out += describe_extents(*open) + describe_open("args", types, *open, names.argument_notes) +
           describe_open("results", f.result_types(), *open, names.result_notes) + "\n";
    out += paragraph("It serves all extents that callers give. An extent ? of a result follows from them as " + s +
                     "_result_shapes says. Extents that do not go together, as the ops of the program demand, give "
                     "WEFT_BAD_EXTENT; " +
                     s +
                     "_error() names the op. An argument or result without elements may be "
                     "NULL.") +
           "\n";
  } else {
    out += describe("args", program.arg_types, names.argument_notes) +
           describe("results", program.result_types, names.result_notes) + "\n";
  }
  out += paragraph(
      "Tensors are dense and row-major; one of rank 0 is its element. Results may not overlap arguments, constants or "
      "each other. "
      "Pointers are those of the caller and are not kept.");
  out +=
      "\n" +
      paragraph("Returns WEFT_OK, or another weft_status that " + s +
                "_error() puts into words, for the last failed call of the same thread. Results are then undefined.") +
      "\n" +
      paragraph(
          "All functions may be called from several threads at once. Parallel parts of calls that run at the same time "
          "take turns on one team of threads. Results do not depend on how many there are.");
  const std::string called = handlers(program, names.with_lapack);
  if (!called.empty()) out += "\n" + paragraph("The program calls handlers, to be registered below: " + called + ".");
  if (!program.libraries.empty()) {
    out += "\n" + paragraph(
                      "Large products of f32 go to dnnl_sgemm of the library that the environment variable WEFT_ONEDNN "
                      "names, else of "
                      "libdnnl.so.3, .so.2 or .so.1; forward convolutions to libdnnl.so.2. It is opened by the first "
                      "call; WEFT_NO_LIBRARY where there is "
                      "none. Their last bits are "
                      "that library's and may depend on its threads.");
  }
  if (names.with_lapack && calls_lapack(program)) {
    out +=
        "\n" +
        paragraph(
            "What LAPACK has routines for goes to the library that the environment variable WEFT_LAPACK names, else to "
            "libopenblas.so.0 or liblapack.so.3, unless a handler is registered. It is opened by the first call; "
            "WEFT_NO_LIBRARY where there is none.");
  }
  if (!names.weights.empty()) {
    out += "\n" + paragraph("Large constants are in the file " + names.weights +
                            ", mapped into memory by the first call: from the path given to " + s +
                            "_load, else where the environment variable " + names.weights_variable() +
                            " says, else from the folder of the library, or of the program that it is linked into. A "
                            "file of another build "
                            "and one cut short give WEFT_NO_WEIGHTS.");
  }
  out += "*/\n#ifndef " + guard + "\n#define " + guard + "\n\n#include <stddef.h>\n#include <stdint.h>\n\n" +
         kStatusHeader + "\n" + kCustomCallHeader + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  out += "enum { " + upper(s) + "_NUM_ARGS = " + std::to_string(program.arg_types.size()) + ", " + upper(s) +
         "_NUM_RESULTS = " + std::to_string(program.result_types.size()) + " };\n\n";
  out += open != nullptr ? open_calls(program, s, *open) : static_calls(program, s);
  out += "/* What went wrong; valid until the next call of this thread. */\nconst char* " + s + "_error(void);\n\n";
  out += "/* Does now what else the first call does: checks the CPU" +
         std::string(names.weights.empty()
                         ? "; weights is not looked at"
                         : " and maps the weights from this path; NULL: from where they are\n   looked for") +
         ". Once it has returned WEFT_OK it does nothing more. */\nint " + s + "_load(const char* weights);\n\n";
  if (!names.weights.empty()) {
    out += "/* Reads all weights and compares them with what the library was built with. */\nint " + s +
           "_check_weights(void);\n\n";
  }
  out +=
      "/* Threads of later calls; 0: one for each CPU that the process may use, fewer where WEFT_NUM_THREADS says so.\n"
      "   " +
      s + "_threads: how many that is. */\nvoid " + s + "_set_threads(int threads);\nint " + s + "_threads(void);\n\n";
  out +=
      "/* Makes the calls that run now, on all threads, end with WEFT_INTERRUPTED; may be called in a signal handler. "
      "*/\n"
      "void " +
      s + "_interrupt(void);\n\n";
  out +=
      "/* weft_register_custom_call for this library: handlers that the program calls, and of its effects. */\nint " +
      s + "_register_custom_call(const char* target, weft_call_handler handler, void* data);\n\n";
  return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace weft::native
