#include "native/aot/data_object.h"

#include <elf.h>

#include <cstring>
#include <fstream>

#include "native/aot_runtime/weft_rt_weights.h"
#include "weft/error.h"

namespace weft::native {
namespace {

constexpr size_t kAlignment = 64;
/// Linkers hold one section at a time in memory.
constexpr size_t kSectionBytes = size_t{16} << 20;

#if defined(__x86_64__)
// Data that may be far from the code: programs with gigabytes of it still link.
constexpr const char* kSectionName = ".lrodata.weft";
constexpr uint64_t kSectionFlags = SHF_ALLOC | 0x10000000;  // SHF_X86_64_LARGE
constexpr uint16_t kMachine = EM_X86_64;
#else
constexpr const char* kSectionName = ".rodata.weft";
constexpr uint64_t kSectionFlags = SHF_ALLOC;
constexpr uint16_t kMachine = EM_AARCH64;
#endif

size_t aligned(size_t bytes, size_t alignment = kAlignment) { return (bytes + alignment - 1) / alignment * alignment; }

class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(path, std::ios::binary) {}
  void write(const void* data, size_t bytes) {
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    at_ += bytes;
  }
  void fill_to(size_t at) {
    static const char kZeros[4096] = {};
    while (at_ < at) write(kZeros, std::min(at - at_, sizeof kZeros));
  }
  size_t at() const { return at_; }
  void rewind() { file_.seekp(0); }
  void close() {
    file_.close();
    if (!file_) throw UserError("cannot write " + path_);
  }

 private:
  std::string path_;
  std::ofstream file_;
  size_t at_ = 0;
};

/// Names one after the other, each ending in 0.
class Names {
 public:
  uint32_t add(const std::string& name) {
    const auto at = static_cast<uint32_t>(text_.size());
    text_.append(name).push_back('\0');
    return at;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

}  // namespace

void write_data_object(const std::string& path, const std::vector<DataBlob>& blobs) {
  Output out(path);
  Names section_names, symbol_names;
  std::vector<Elf64_Shdr> sections(1);
  std::vector<Elf64_Sym> symbols(1);
  const auto add_section = [&](const std::string& name, uint32_t type, uint64_t flags, size_t alignment) {
    Elf64_Shdr s{};
    s.sh_name = section_names.add(name);
    s.sh_type = type;
    s.sh_flags = flags;
    s.sh_offset = out.at();
    s.sh_addralign = alignment;
    sections.push_back(s);
  };
  out.fill_to(aligned(sizeof(Elf64_Ehdr)));
  bool is_full = true;
  for (const DataBlob& blob : blobs) {
    out.fill_to(aligned(out.at()));
    if (is_full || out.at() - sections.back().sh_offset > kSectionBytes)
      add_section(kSectionName + ("." + std::to_string(sections.size())), SHT_PROGBITS, kSectionFlags, kAlignment);
    is_full = blob.data.size_bytes() > kSectionBytes;
    Elf64_Sym symbol{};
    symbol.st_name = symbol_names.add(blob.name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_other = STV_HIDDEN;
    symbol.st_shndx = static_cast<uint16_t>(sections.size() - 1);
    symbol.st_value = out.at() - sections.back().sh_offset;
    symbol.st_size = blob.data.size_bytes();
    symbols.push_back(symbol);
    out.write(blob.data.raw(), blob.data.size_bytes());
    sections.back().sh_size = out.at() - sections.back().sh_offset;
  }
  out.fill_to(aligned(out.at()));
  add_section(".note.GNU-stack", SHT_PROGBITS, 0, 1);
  add_section(".symtab", SHT_SYMTAB, 0, 8);
  out.write(symbols.data(), symbols.size() * sizeof symbols[0]);
  sections.back().sh_size = symbols.size() * sizeof symbols[0];
  sections.back().sh_entsize = sizeof symbols[0];
  sections.back().sh_link = static_cast<uint32_t>(sections.size());
  sections.back().sh_info = 1;
  const auto add_names = [&](const char* name, const Names& names) {
    add_section(name, SHT_STRTAB, 0, 1);  // which may add to the names
    out.write(names.text().data(), names.text().size());
    sections.back().sh_size = names.text().size();
  };
  add_names(".strtab", symbol_names);
  add_names(".shstrtab", section_names);
  out.fill_to(aligned(out.at()));

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_shoff = out.at();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof sections[0];
  header.e_shnum = static_cast<uint16_t>(sections.size());
  header.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
  out.write(sections.data(), sections.size() * sizeof sections[0]);
  out.rewind();
  out.write(&header, sizeof header);
  out.close();
}

WeightsLayout write_weights(const std::string& path, const std::vector<DataBlob>& blobs) {
  static_assert(WEFT_RT_WEIGHTS_ALIGNMENT == kAlignment);
  WeightsLayout layout;
  size_t end = WEFT_RT_WEIGHTS_BEGIN;
  weft_rt_hash hash;
  weft_rt_hash_begin(&hash);
  for (const DataBlob& blob : blobs) {
    layout.offsets.push_back(end);
    end += aligned(blob.data.size_bytes());
    const size_t whole = blob.data.size_bytes() / kAlignment * kAlignment, rest = blob.data.size_bytes() - whole;
    weft_rt_hash_add(&hash, blob.data.raw(), whole);
    if (rest == 0) continue;
    char last[kAlignment] = {};
    std::memcpy(last, static_cast<const char*>(blob.data.raw()) + whole, rest);
    weft_rt_hash_add(&hash, last, sizeof last);
  }
  weft_rt_hash_end(&hash, layout.hash.data());
  layout.file_bytes = end;
  weft_rt_weights_header header{};
  std::memcpy(header.magic, weft_rt_weights_magic, sizeof header.magic);
  header.version = WEFT_RT_WEIGHTS_VERSION;
  header.file_bytes = end;
  header.count = blobs.size();
  std::memcpy(header.hash, layout.hash.data(), sizeof header.hash);
  Output out(path);
  out.write(&header, sizeof header);
  out.fill_to(WEFT_RT_WEIGHTS_BEGIN);
  for (const DataBlob& blob : blobs) {
    out.write(blob.data.raw(), blob.data.size_bytes());
    out.fill_to(aligned(out.at()));
  }
  out.close();
  return layout;
}

}  // namespace weft::native
