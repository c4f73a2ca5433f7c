#include "native/codegen/isa_choice.h"

#include <cstdlib>

#include "native/aot_runtime/cpu_features.h"
#include "weft/error.h"

namespace weft::codegen {

namespace {

/// oneDNN asks for its limit at its first call.
void limit_libraries(const std::string& level) {
  const char* limit = level == "x86-64-v4"                        ? "AVX512_CORE"
                      : level == "x86-64-v3"                      ? "AVX2"
                      : level == "x86-64-v2" || level == "x86-64" ? "SSE41"
                                                                  : nullptr;
  if (limit != nullptr) setenv("DNNL_MAX_CPU_ISA", limit, 0);
}

}  // namespace

Isa isa_for_this_machine(const std::string& cpu) {
  const char* wanted = std::getenv("WEFT_CPU");
  if (wanted != nullptr) limit_libraries(wanted);
  const std::string name = !cpu.empty() ? cpu : wanted != nullptr ? wanted : "";
  Isa isa = Isa::named(name);
  for (const std::string& feature : required_features(isa)) {
    const char* const names[] = {feature.c_str(), nullptr};
    if (weft_rt_missing_feature(names) != nullptr)
      throw UserError("code for " + name + " needs " + feature + ", which this CPU lacks");
  }
  return isa;
}

std::vector<std::string> required_features(const Isa& isa) {
  std::vector<std::string> out;
  for (size_t at = 0; at < isa.features.size();) {
    const size_t end = std::min(isa.features.find(',', at), isa.features.size());
    const std::string feature = isa.features.substr(at + 1, end - at - 1);
    // Tiles are used by libraries only.
    if (isa.features[at] == '+' && !feature.starts_with("amx") && weft_rt_knows_feature(feature.c_str()) != 0)
      out.push_back(feature);
    at = end + 1;
  }
  return out;
}

}  // namespace weft::codegen
