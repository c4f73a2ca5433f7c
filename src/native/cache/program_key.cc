#include "native/cache/program_key.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <variant>

namespace weft::native {
namespace {

void add_attr(ProgramHasher& h, const Attr& attr) {
  h.add(attr.variant().index());
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t>) {
          h.add(static_cast<uint64_t>(v));
        } else if constexpr (std::is_same_v<T, double>) {
          uint64_t bits = 0;
          std::memcpy(&bits, &v, sizeof bits);
          h.add(bits);
        } else if constexpr (std::is_same_v<T, std::string>) {
          h.add(std::string_view(v));
        } else if constexpr (std::is_same_v<T, Attr::Ints>) {
          h.add(std::as_bytes(std::span(v)));
        } else if constexpr (std::is_same_v<T, Type>) {
          h.add(v);
        } else if constexpr (std::is_same_v<T, Literal>) {
          h.add(v.type);
          h.add(static_cast<uint64_t>(v.splat));
          h.add(std::span<const std::byte>(v.elements.buffer().data(), v.elements.size_bytes()));
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const AttrList>>) {
          h.add(v->size());
          for (const Attr& a : *v) add_attr(h, a);
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const AttrEntries>>) {
          h.add(v->size());
          for (const auto& [name, a] : *v) {
            h.add(std::string_view(name));
            add_attr(h, a);
          }
        } else if constexpr (std::is_same_v<T, OpaqueAttr>) {
          h.add(std::string_view(v.text));
        }
      },
      attr.variant());
}

void add_region(ProgramHasher& h, const Function& f, RegionId region) {
  h.add(f.args(region).size());
  for (Value v : f.args(region)) {
    h.add(v.index);
    h.add(f.type(v));
  }
  h.add(f.ops(region).size());
  for (OpId op : f.ops(region)) {
    h.add(f.def(op).mnemonic);
    h.add(op.index);
    h.add(f.operands(op).size());
    for (Value v : f.operands(op)) h.add(v.index);
    h.add(f.num_results(op));
    for (Value v : f.results(op)) {
      h.add(v.index);
      h.add(f.type(v));
    }
    h.add(f.attrs(op).entries().size());
    for (const auto& [name, attr] : f.attrs(op).entries()) {
      h.add(std::string_view(name));
      add_attr(h, attr);
    }
    h.add(f.regions(op).size());
    for (RegionId inner : f.regions(op)) add_region(h, f, inner);
  }
}

/// The GNU build id of the object that has the address, as bytes.
struct Search {
  uintptr_t address;
  std::string id;
};
int look(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search.address >= begin && search.address < begin + header.p_memsz) is_ours = true;
  }
  if (!is_ours) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        search.id.assign(content, note.n_descsz);
        return 1;
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

}  // namespace

void ProgramHasher::add(Type type) {
  const auto [it, is_new] = types_.try_emplace(type, 0);
  if (is_new) {
    Hasher h;
    h.add(std::string_view(type.str()));
    it->second = h.value()[0];
  }
  add(it->second);
}

void add_function(ProgramHasher& h, const Function& f) {
  h.add(std::string_view(f.name()));
  add_region(h, f, f.body());
}

const std::string& build_id() {
  static const std::string kId = [] {
    Search search{reinterpret_cast<uintptr_t>(&build_id), {}};
    dl_iterate_phdr(&look, &search);
    return search.id;
  }();
  return kId;
}

}  // namespace weft::native
