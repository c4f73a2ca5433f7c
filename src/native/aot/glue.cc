#include "native/aot/glue.h"

#include <array>

#include "native/aot/embedded_headers.h"
#include "native/aot/glue_sites.h"

namespace weft::native {
namespace {

/// LLVM's name of a feature and GCC's, for the levels of x86-64 that code generation makes use of.
constexpr std::array<std::pair<const char*, const char*>, 12> kFeatures = {{
    {"sse4.2", "sse4.2"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"fma", "fma"},
    {"bmi", "bmi"},
    {"bmi2", "bmi2"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512vbmi", "avx512vbmi"},
}};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string describe(const Function& f) {
  std::string out;
  for (size_t i = 0; i < f.args().size(); ++i)
    out += "   args[" + std::to_string(i) + "]: " + f.type(f.args()[i]).str() + "\n";
  const auto results = f.result_types();
  for (size_t i = 0; i < results.size(); ++i)
    out += "   results[" + std::to_string(i) + "]: " + results[i].str() + "\n";
  return out;
}

}  // namespace

std::vector<std::string> required_features(const codegen::Isa& isa) {
  std::vector<std::string> out;
  for (const auto& [llvm_name, gcc_name] : kFeatures) {
    if (isa.features.find("+" + std::string(llvm_name) + ",") != std::string::npos ||
        isa.features.ends_with("+" + std::string(llvm_name))) {
      out.emplace_back(gcc_name);
    }
  }
  return out;
}

Glue write_glue(const CompiledProgram& program, const std::string& symbol, const std::string& inner,
                const codegen::Isa& isa, const std::string& cpu) {
  const std::string guard = upper(symbol) + "_H";
  const std::string bytes = std::to_string(program.workspace_bytes);
  Glue glue;
  glue.header =
      "/* " + symbol + ", compiled ahead of time. Tensors are dense, row-major; pointers aligned to their elements.\n" +
      describe(*program.function) + "   workspace: NULL, or " + symbol +
      "_workspace_bytes bytes aligned to 64, for one call at a time.\n"
      "   Returns 0, or a status that " +
      symbol +
      "_error() explains (of the last failed call of this thread). */\n"
      "#ifndef " +
      guard + "\n#define " + guard +
      "\n#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "int " +
      symbol +
      "(const void* const* args, void* const* results, void* workspace);\n"
      "const char* " +
      symbol +
      "_error(void);\n"
      "extern const size_t " +
      symbol +
      "_workspace_bytes;\n"
      "#ifdef __cplusplus\n}\n#endif\n\n" +
      std::string(kCustomCallHeader) +
      "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "/* weft_register_custom_call for this library: handlers that the program calls, and of its effects. */\n"
      "int " +
      symbol +
      "_register_custom_call(const char* target, weft_call_handler handler, void* data);\n"
      "#ifdef __cplusplus\n}\n#endif\n#endif\n";
  std::string supported;
  for (const std::string& feature : required_features(isa)) {
    supported += "  if (!__builtin_cpu_supports(\"" + feature + "\")) return \"" + feature + "\";\n";
  }
  glue.source =
      "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n" + std::string(kCustomCallHeader) +
      kHostHeader +
      "\n#define EXPORT __attribute__((visibility(\"default\")))\n"
      "int " +
      inner +
      "(const void* const*, void* const*, void*, struct weft_rt_context*, void*);\n"
      "int weft_rt_call(int (*)(const void* const*, void* const*, void*, struct weft_rt_context*, void*),\n"
      "                 const void* const*, void* const*, void*, size_t, void*, const weft_rt_site*, "
      "weft_rt_handlers*, char*, "
      "size_t);\n"
      "EXPORT const size_t " +
      symbol + "_workspace_bytes = " + bytes +
      ";\n"
      "static long long pool[4];\n"
      "static weft_rt_handlers handlers;\n"
      "static _Thread_local char message[512];\n" +
      sites_source(program) + "static const char* missing_feature(void) {\n  __builtin_cpu_init();\n" + supported +
      "  return 0;\n}\n\n"
      "EXPORT const char* " +
      symbol +
      "_error(void) { return message; }\n\n"
      "EXPORT int " +
      symbol +
      "(const void* const* args, void* const* results, void* workspace) {\n"
      "  static int checked;\n"
      "  if (!__atomic_load_n(&checked, __ATOMIC_RELAXED)) {\n"
      "    const char* missing = missing_feature();\n"
      "    if (missing) {\n"
      "      snprintf(message, sizeof message, \"" +
      symbol + " was compiled for " + cpu +
      " and needs %s, which this CPU lacks\", missing);\n"
      "      return " +
      std::to_string(WEFT_RT_WRONG_ISA) +
      ";\n"
      "    }\n"
      "    __atomic_store_n(&checked, 1, __ATOMIC_RELAXED);\n"
      "  }\n"
      "  return weft_rt_call(" +
      inner + ", args, results, workspace, " + symbol +
      "_workspace_bytes, pool, sites, &handlers, message, sizeof message);\n"
      "}\n\n"
      "int weft_native_host(void* host, struct weft_rt_context* context, int64_t site, void* const* buffers) {\n"
      "  return weft_rt_host_call(host, context, site, buffers);\n}\n\n"
      "EXPORT int " +
      symbol +
      "_register_custom_call(const char* target, weft_call_handler handler, void* data) {\n"
      "  return weft_rt_register_handler(&handlers, target, handler, data);\n}\n";
  return glue;
}

}  // namespace weft::native
