// The file system, the environment, the clock.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/intrinsics/text_io.h"
#include "julia/run/effects.h"
#include "julia/run/interrupts.h"

namespace weft::julia {
namespace {

namespace fs = std::filesystem;

std::string path_of(const Value& v) { return std::string(text_of(v)); }

[[noreturn]] void throw_io_error(const std::string& what) { throw_error("IOError: " + what); }

/// _file_is(path, kind): 'e' something there, 'f' a file, 'd' a folder, 'l' a link.
Value is_of_kind(Evaluator&, Args a) {
  std::error_code ignored;
  const fs::path p = path_of(a[0]);
  switch (static_cast<char>(code_point(char_of_value(a[1])))) {
    case 'f': return boolean(fs::is_regular_file(p, ignored));
    case 'd': return boolean(fs::is_directory(p, ignored));
    case 'l': return boolean(fs::is_symlink(p, ignored));
    default: return boolean(fs::exists(p, ignored));
  }
}

Value file_size(Evaluator&, Args a) {
  std::error_code error;
  const auto n = fs::file_size(path_of(a[0]), error);
  return integer(error ? 0 : static_cast<int64_t>(n));
}

Value make_path(Evaluator&, Args a) {
  expect_effects_allowed("mkpath");
  std::error_code error;
  fs::create_directories(path_of(a[0]), error);
  if (error) throw_io_error("mkpath(" + show_text(a[0]) + "): " + error.message());
  return a[0];
}

Value make_folder(Evaluator&, Args a) {
  expect_effects_allowed("mkdir");
  std::error_code error;
  if (!fs::create_directory(path_of(a[0]), error) || error)
    throw_io_error("mkdir(" + show_text(a[0]) + "): " + (error ? error.message() : "file already exists"));
  return a[0];
}

/// _file_rm(path, force, recursive).
Value remove_path(Evaluator&, Args a) {
  expect_effects_allowed("rm");
  std::error_code error;
  const fs::path p = path_of(a[0]);
  if (!fs::exists(fs::symlink_status(p, error))) {
    if (bool_of(a[1])) return nothing();
    throw_io_error("unlink(" + show_text(a[0]) + "): no such file or directory (ENOENT)");
  }
  if (bool_of(a[2])) fs::remove_all(p, error);
  else fs::remove(p, error);
  if (error) throw_io_error("rm(" + show_text(a[0]) + "): " + error.message());
  return nothing();
}

/// _file_copy(from, to, move).
Value copy_path(Evaluator&, Args a) {
  expect_effects_allowed("cp");
  std::error_code error;
  if (bool_of(a[2])) fs::rename(path_of(a[0]), path_of(a[1]), error);
  else
    fs::copy(path_of(a[0]), path_of(a[1]), fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (error) throw_io_error("cp(" + show_text(a[0]) + ", " + show_text(a[1]) + "): " + error.message());
  return a[1];
}

Value list_folder(Evaluator&, Args a) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_of(a[0]), error)) names.push_back(entry.path().filename());
  if (error) throw_io_error("readdir(" + show_text(a[0]) + "): no such file or directory (ENOENT)");
  std::ranges::sort(names);
  std::vector<Value> out;
  for (std::string& n : names) out.push_back(make_string(std::move(n)));
  return make_vector(core().string, std::move(out));
}

Value current_folder(Evaluator&, Args) { return make_string(fs::current_path().string()); }

Value change_folder(Evaluator&, Args a) {
  expect_effects_allowed("cd");
  std::error_code error;
  fs::current_path(path_of(a[0]), error);
  if (error) throw_io_error("cd(" + show_text(a[0]) + "): no such file or directory (ENOENT)");
  return nothing();
}

/// Without `.`, `..` and doubled slashes.
Value normal_path(Evaluator&, Args a) {
  const std::string p = path_of(a[0]);
  std::vector<std::string> parts;
  const bool is_absolute = p.starts_with('/');
  for (size_t at = 0; at <= p.size();) {
    const size_t end = std::min(p.find('/', at), p.size());
    const std::string part = p.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") parts.pop_back();
    else if (part != ".." || !is_absolute) parts.push_back(part);
  }
  std::string out = is_absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? "/" : "") + parts[i];
  if (out.empty()) out = ".";
  if (p.ends_with('/') && !out.ends_with('/')) out += '/';
  return make_string(out);
}

Value real_path(Evaluator&, Args a) {
  std::error_code error;
  const fs::path p = fs::canonical(path_of(a[0]), error);
  if (error) throw_io_error("realpath(" + show_text(a[0]) + "): no such file or directory (ENOENT)");
  return make_string(p.string());
}

/// _file_temp(folder): a name that nothing has yet; the folder is made.
Value temporary_name(Evaluator&, Args a) {
  std::string name = (fs::temp_directory_path() / "jl_XXXXXX").string();
  if (bool_of(a[0])) {
    if (mkdtemp(name.data()) == nullptr) throw_io_error("mktempdir: cannot make a folder");
    return make_string(name);
  }
  const int file = mkstemp(name.data());
  if (file < 0) throw_io_error("tempname: cannot make a file");
  close(file);
  fs::remove(name);
  return make_string(name);
}

/// _env_get(name): nothing when it is not set.
Value environment(Evaluator&, Args a) {
  const char* v = std::getenv(path_of(a[0]).c_str());
  return v == nullptr ? nothing() : make_string(v);
}

/// _env_set(name, value or nothing).
Value set_environment(Evaluator&, Args a) {
  expect_effects_allowed("a change of ENV");
  if (is_text(a[1])) setenv(path_of(a[0]).c_str(), path_of(a[1]).c_str(), 1);
  else unsetenv(path_of(a[0]).c_str());
  return nothing();
}

Value now(Evaluator&, Args) {
  const auto t = std::chrono::system_clock::now().time_since_epoch();
  return number(std::chrono::duration<double>(t).count());
}

Value now_nanoseconds(Evaluator&, Args) {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return number(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count()));
}

Value sleep_for(Evaluator&, Args a) {
  expect_effects_allowed("sleep");
  const double seconds = convert_number(NumberKind::kFloat64, a[0]).get<double>();
  if (seconds < 0) throw_argument_error("cannot sleep for " + show_text(a[0]) + " seconds");
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds kLongest{0.02};  // between two looks for an interrupt
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    check_interrupt();
    const Seconds left = Seconds(seconds) - (std::chrono::steady_clock::now() - start);
    if (left <= Seconds::zero()) return nothing();
    std::this_thread::sleep_for(std::min(left, kLongest));
  }
}

Value processor_count(Evaluator&, Args) { return integer(std::max(1u, std::thread::hardware_concurrency())); }

Value process_id(Evaluator&, Args) { return number(int32_t{getpid()}); }

Value program_arguments(Evaluator& e, Args) {
  std::vector<Value> out;
  for (const std::string& s : e.options().arguments) out.push_back(make_string(s));
  return make_vector(core().string, std::move(out));
}

Value program_file(Evaluator& e, Args) { return make_string(e.options().program_file); }

constexpr IntrinsicEntry kEntries[] = {
    {"_file_is", is_of_kind, 2, 2},
    {"_file_size", file_size, 1, 1},
    {"_file_mkpath", make_path, 1, 1},
    {"_file_mkdir", make_folder, 1, 1},
    {"_file_rm", remove_path, 3, 3},
    {"_file_copy", copy_path, 3, 3},
    {"_file_list", list_folder, 1, 1},
    {"_file_pwd", current_folder, 0, 0},
    {"_file_cd", change_folder, 1, 1},
    {"_file_normpath", normal_path, 1, 1},
    {"_file_realpath", real_path, 1, 1},
    {"_file_temp", temporary_name, 1, 1},
    {"_env_get", environment, 1, 1},
    {"_env_set", set_environment, 2, 2},
    {"_time", now, 0, 0},
    {"_time_ns", now_nanoseconds, 0, 0},
    {"_sleep", sleep_for, 1, 1},
    {"_processors", processor_count, 0, 0},
    {"_process_id", process_id, 0, 0},
    {"_arguments", program_arguments, 0, 0},
    {"_program_file", program_file, 0, 0},
};

}  // namespace

std::span<const IntrinsicEntry> file_intrinsics() { return kEntries; }

}  // namespace weft::julia
