#include "cli/julia_program.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/file.h"
#include "julia/lower/carried_sources.h"
#include "julia/syntax/literals.h"
#include "julia/syntax/parse.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// Stands at the executable's end, behind the sources and their length.
constexpr std::string_view kMark = "\nweft program 1\n";

fs::path this_executable() { return fs::read_symlink("/proc/self/exe"); }

// ---- which files

using Sources = std::map<std::string, std::string>;  // by path as the program's files say it

/// The constant text of a string literal; nothing when something is interpolated.
std::optional<std::string> constant_text(const julia::Tree& tree, julia::NodeId id) {
  if (!tree.is(id, julia::Kind::kStringLiteral)) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < tree.count(id); ++i) {
    if (!tree.is(tree.child(id, i), julia::Kind::kString)) return std::nullopt;
    out += julia::string_value(tree, tree.child(id, i));
  }
  return out;
}

/// The path of an include, relative to the file's folder: "a.jl" or joinpath(@__DIR__, "a", "b.jl").
std::optional<fs::path> constant_path(const julia::Tree& tree, julia::NodeId id) {
  if (const auto text = constant_text(tree, id)) return fs::path(*text);
  const bool is_joined =
      tree.is(id, julia::Kind::kCall) && tree.count(id) > 1 && tree.text(tree.child(id, 0)) == "joinpath";
  if (!is_joined) return std::nullopt;
  fs::path out;
  for (size_t i = 1; i < tree.count(id); ++i) {
    const julia::NodeId part = tree.child(id, i);
    if (i == 1 && tree.text(part) == "@__DIR__") continue;
    const auto text = constant_text(tree, part);
    if (!text) return std::nullopt;
    out /= *text;
  }
  return out;
}

void gather(const fs::path& path, Sources& sources) {
  const std::string name = path.lexically_normal().string();
  if (sources.contains(name)) return;
  std::string text = read_file(name);
  const julia::Parsed parsed = julia::parse(text);
  if (!parsed.ok()) throw UserError(julia::render_all(parsed.diagnostics, text, name));
  sources[name] = text;
  const julia::Tree& tree = parsed.tree;
  for (julia::NodeId id = 0; id < tree.size(); ++id) {
    if (!tree.is(id, julia::Kind::kCall) || tree.count(id) < 2) continue;
    const std::string_view callee = tree.text(tree.child(id, 0));
    if (callee != "include" && callee != "Base.include") continue;
    const auto included = constant_path(tree, tree.child(id, tree.count(id) - 1));
    if (!included) {
      const auto line = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(tree[id].begin), '\n') + 1;
      throw UserError(name + ":" + std::to_string(line) +
                      ": the path of this include is known only when the program runs; a program that is built carries "
                      "the files it includes\n  fix: include(\"FILE.jl\") or include(joinpath(@__DIR__, \"FILE.jl\"))");
    }
    gather(included->is_absolute() ? *included : path.parent_path() / *included, sources);
  }
}

// ---- as bytes: texts, each behind its length

void put(std::string& out, std::string_view text) {
  const uint64_t n = text.size();
  out.append(reinterpret_cast<const char*>(&n), sizeof n);
  out += text;
}

struct Reading {
  std::string_view rest;
  std::string text() {
    uint64_t n = 0;
    if (rest.size() < sizeof n) throw UserError("the program in this executable is damaged");
    std::memcpy(&n, rest.data(), sizeof n);
    rest.remove_prefix(sizeof n);
    if (rest.size() < n) throw UserError("the program in this executable is damaged");
    std::string out(rest.substr(0, n));
    rest.remove_prefix(n);
    return out;
  }
};

/// What stands behind the executable's own bytes; empty: nothing does.
std::string carried_bytes() {
  std::ifstream in("/proc/self/exe", std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::streamoff>(in.tellg());
  uint64_t length = 0;
  char mark[kMark.size()];
  constexpr std::streamoff kTail = sizeof length + sizeof mark;
  if (!in || size < kTail) return {};
  in.seekg(size - kTail);
  in.read(reinterpret_cast<char*>(&length), sizeof length);
  in.read(mark, sizeof mark);
  if (!in || std::string_view(mark, sizeof mark) != kMark || length > static_cast<uint64_t>(size - kTail)) return {};
  std::string out(length, '\0');
  in.seekg(size - kTail - static_cast<std::streamoff>(length));
  in.read(out.data(), static_cast<std::streamsize>(length));
  if (!in) throw UserError("cannot read " + this_executable().string());
  return out;
}

}  // namespace

int build_julia_program(const std::string& file, const std::string& output, CompileMode compile) {
  Sources sources;
  const fs::path path = fs::path(file).lexically_normal();
  gather(path, sources);
  // Paths are kept relative to the program's file, which will stand beside the executable.
  const fs::path folder = path.parent_path();
  std::string bytes;
  put(bytes, std::to_string(static_cast<int>(compile)));
  put(bytes, path.filename().string());
  for (const auto& [name, text] : sources) {
    const fs::path source = name;
    put(bytes, source.is_absolute() && !path.is_absolute()
                   ? name
                   : source.lexically_relative(folder.empty() ? "." : folder).string());
    put(bytes, text);
  }
  std::string program = read_file(this_executable().string());
  const uint64_t length = bytes.size();
  program += bytes;
  program.append(reinterpret_cast<const char*>(&length), sizeof length);
  program += kMark;
  // Written beside its place and renamed, and only then what can be run.
  const fs::path part = output + ".part";
  write_file(part.string(), program);
  fs::permissions(part, fs::perms(0755));
  fs::rename(part, output);
  return 0;
}

std::optional<int> run_carried_program(const std::vector<std::string>& arguments) {
  const std::string bytes = carried_bytes();
  if (bytes.empty()) return std::nullopt;
  Reading reading{bytes};
  JuliaOptions options;
  options.compile = static_cast<CompileMode>(std::stoi(reading.text()));
  const fs::path folder = this_executable().parent_path();
  options.file = (folder / reading.text()).string();
  while (!reading.rest.empty()) {
    const fs::path name = folder / reading.text();
    julia::carry_source(name.string(), reading.text());
  }
  options.arguments = arguments;
  return run_julia(options);
}

}  // namespace weft::cli
