#include "native/codegen/isa.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <memory>

#include "weft/error.h"

namespace weft::codegen {
namespace {

template <class Has>
void set_widths(Isa& isa, Has has) {
  const bool avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  isa.vector_bytes = avx512 ? 64 : has("avx2") ? 32 : 16;
  isa.registers = avx512 ? 32 : 16;
  isa.has_masks = avx512;
  isa.has_fma = has("fma");
  isa.has_gather = has("avx2");
}

}  // namespace

const Isa& Isa::host() {
  static const Isa isa = [] {
    Isa i;
    i.cpu = "x86-64";
    const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    for (const auto& f : features) {
      if (!i.features.empty()) i.features += ',';
      i.features += (f.second ? "+" : "-") + f.first().str();
    }
    set_widths(i, [&](const char* f) { return features.lookup(f); });
    return i;
  }();
  return isa;
}

Isa Isa::named(const std::string& cpu) {
  if (cpu.empty() || cpu == "native") return host();
  llvm::InitializeNativeTarget();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) throw InternalError("[codegen] LLVM has no target for " + triple + ": " + error);
  const std::unique_ptr<llvm::MCSubtargetInfo> probe(target->createMCSubtargetInfo(triple, "", ""));
  if (!probe->isCPUStringValid(cpu))
    throw UserError("[build] no CPU of " + triple + " is called " + cpu +
                    ", and code for other architectures is not supported: expected a name such as x86-64-v3");
  const std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, cpu, ""));
  Isa i;
  i.cpu = cpu;
  set_widths(i, [&](const char* f) { return info->checkFeatures(std::string("+") + f); });
  // The same as those of the name, for whoever asks what the code needs.
  for (const llvm::SubtargetFeatureKV& f : info->getAllProcessorFeatures()) {
    if (info->hasFeature(f.Value)) i.features += (i.features.empty() ? "+" : ",+") + std::string(f.Key);
  }
  return i;
}

}  // namespace weft::codegen
