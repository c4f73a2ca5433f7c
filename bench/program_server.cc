// Runs one StableHLO program natively, driven line by line so that its calls can alternate with a peer's.
//
//   program_server FILE ENTRY INPUTS [--threads N] [--disable PASS]…     INPUTS holds arg0, arg1, …: the elements of each argument, as they lie in memory
//
// Prints `ready SECONDS` (of compiling); then, a line each: `run SECONDS MOST` calls it for so long, at most so often and at least once, and
// answers the seconds of each call; `save DIR LIMIT` writes of each result every k-th element, at most LIMIT, to DIR/result0, …;
// `memory` answers the bytes of a call besides arguments and results; `explain` writes to standard error.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "ir/account.h"
#include "ir/target.h"
#include "text/parse.h"

namespace {

using namespace weft;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Tensor empty(Type type) { return {type.element_type(), Shape(type.shape().begin(), type.shape().end())}; }

Tensor read_elements(const std::string& path, Type type) {
  const std::string bytes = read_file(path);
  Tensor t = empty(type);
  if (bytes.size() != t.size_bytes())
    throw UserError("[program_server] " + path + ": got " + std::to_string(bytes.size()) + " bytes, expected " +
                    std::to_string(t.size_bytes()));
  std::memcpy(t.raw(), bytes.data(), bytes.size());
  return t;
}

void save(const Tensor& t, const std::string& path, int64_t limit) {
  const int64_t step = std::max<int64_t>(1, (t.size() + limit - 1) / limit);
  const size_t width = t.size() == 0 ? 1 : t.size_bytes() / static_cast<size_t>(t.size());
  std::ofstream out(path, std::ios::binary);
  for (int64_t i = 0; i < t.size(); i += step)
    out.write(static_cast<const char*>(t.raw()) + static_cast<size_t>(i) * width, static_cast<std::streamsize>(width));
  if (!out.flush()) throw UserError("[program_server] cannot write " + path);
}

int serve(const std::string& file, const std::string& entry, const std::string& inputs, const CompileOptions& options) {
  const double begin = now();
  const auto program = get_target("native").compile(parse_module(read_file(file), file), entry, options);
  const double compiled = now() - begin;
  std::vector<Tensor> args, results;
  for (const Type type : program->arg_types())
    args.push_back(read_elements(inputs + "/arg" + std::to_string(args.size()), type));
  for (const Type type : program->result_types()) results.push_back(empty(type));
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Tensor& t : args) in.push_back(t.raw());
  for (Tensor& t : results) out.push_back(t.raw());
  const auto call = program->bind(in, out);
  call->run();
  std::cout << "ready " << compiled << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, folder;
    double seconds = 0;
    int64_t count = 0;
    words >> verb;
    if (verb == "run" && words >> seconds >> count) {
      const double end = now() + seconds;
      for (int64_t i = 0; i < count && (i == 0 || now() < end); ++i) {
        const double start = now();
        call->run();
        std::cout << (i == 0 ? "" : " ") << now() - start;
      }
      std::cout << std::endl;
    } else if (verb == "save" && words >> folder >> count && count > 0) {
      for (size_t i = 0; i < results.size(); ++i) save(results[i], folder + "/result" + std::to_string(i), count);
      std::cout << "saved " << results.size() << std::endl;
    } else if (verb == "memory") {
      const MemoryUse use = program->account()->memory;
      std::cout << use.arena + use.scratch << std::endl;
    } else if (verb == "explain") {
      std::cerr << program->explain();
      std::cout << "explained" << std::endl;
    } else {
      std::cerr << "[program_server] expected run, save, memory or explain, got '" << line << "'\n";
      return 2;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw UserError("usage: program_server FILE ENTRY INPUTS [--threads N] [--disable PASS]…");
    CompileOptions options;
    options.partitions = 2;
    for (int i = 4; i + 1 < argc; i += 2) {
      if (std::string(argv[i]) == "--threads") options.partitions = std::stoi(argv[i + 1]);
      else options.disabled.emplace_back(argv[i + 1]);
    }
    return serve(argv[1], argv[2], argv[3], options);
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
  }
}
