// One program on several devices of a client: cut along its shardings, or run by all of them as processes.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pjrt/client.h"
#include "pjrt/piece.h"
#include "pjrt/program_text.h"
#include "transform/split_checks.h"

namespace weft::pjrt {

/// How a program uses devices.
enum class Distribution : uint8_t {
  kNone,       // it does not say
  kShardings,  // one program of arrays that are cut
  kProcesses,  // interpreter.run_parallel: a program each, and collectives between them
  kReplicas,   // collectives in the entry itself: all devices run it on the same arguments
};

struct DeviceNeeds {
  Distribution distribution = Distribution::kNone;
  int64_t devices = 1;  // that the program names; of replicas: 1
};
/// What the entry, with what it calls, says of devices. UserError when its meshes differ in their number.
DeviceNeeds device_needs(const Module& module, const std::string& entry);

/// What runs on the devices. Pieces are of the arguments, then of the constants; of the results in `results`.
struct DistributedProgram {
  ProgramText text;  // of one device's program, or of the one that is cut
  CompileSettings settings;
  std::vector<Type> arg_types, computed_types;  // as for one device: computed are results, then what the checks look at
  std::vector<Tensor> constants;                // arguments of the devices' programs beside the caller's
  std::vector<std::vector<Piece>> args;         // [device][argument of its program]
  /// [device][computed value]: what each device has of it, which its program's results are in this order; arguments are the entry's then.
  /// Empty: programs of processes.
  std::vector<std::vector<Piece>> computed;
  std::vector<Sharding> arg_shardings,
      result_shardings;  // of cut programs: of arguments and computed values, with their meshes
  std::vector<std::pair<size_t, size_t>> donations;  // (argument, computed value), cut alike
  /// [device][result of its program]: the computed values that it is a piece of; none where another device gives the same.
  std::vector<std::vector<std::vector<Piece>>> results;
  /// (computed value, argument or constant): results that no device computes.
  std::vector<std::pair<size_t, size_t>> passed;
  SplitChecks checks;
};

/// Of Distribution::kShardings: cut over `devices`. Results that take an argument's place (donations: argument, result) are cut as it is.
/// UserError when a mesh has another number.
DistributedProgram cut_program(const Module& module, const std::string& entry, int64_t devices,
                               std::span<const std::pair<size_t, size_t>> donations);
/// Fills in the pieces of a program that is cut, from its types and shardings.
void lay_out(DistributedProgram& program, int64_t devices);
/// Of kProcesses (`devices` are as many as processes) and kReplicas. Unsupported where processes run different programs, or when
/// the entry computes with what they take or give.
DistributedProgram process_program(const Module& module, const std::string& entry, int64_t devices);

/// A copy of the module in which the entry, its calls written out, has no shardings.
std::shared_ptr<Module> without_shardings(const Module& module, const std::string& entry);

/// The entry on as many devices as it needs, or as are `asked` for (0: none said): on one where nothing is cut and nothing meets. `client` gives one
/// with so many devices, if it can. UserError where the numbers do not agree.
std::unique_ptr<Executable> compile_on_devices(const std::function<std::shared_ptr<const Client>(size_t)>& client,
                                               int64_t asked, const Module& module, const std::string& entry,
                                               const CompileOptions& options);

/// Compiles and runs it on the first devices of a client. UserError when the client has fewer.
std::unique_ptr<Executable> compile_distributed(std::shared_ptr<const Client> client, DistributedProgram program,
                                                const CompileOptions& options);
/// What was compiled of it.
std::unique_ptr<Executable> make_distributed(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                             DistributedProgram program);

}  // namespace weft::pjrt
