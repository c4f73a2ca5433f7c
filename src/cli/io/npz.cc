#include "cli/io/npz.h"

#include <zip.h>

#include <memory>

#include "base/file.h"

namespace weft::cli {
namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;

/// An archive that reads from, or is built in, memory. The source stays the caller's.
Archive open_archive(zip_source_t* source, int flags, std::string& why) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_keep(source);
  Archive archive(zip_open_from_source(source, flags, &error));
  if (!archive) {
    why = zip_error_strerror(&error);
    zip_source_free(source);
  }
  zip_error_fini(&error);
  return archive;
}

Source memory(const void* data, size_t bytes) {
  Source source(zip_source_buffer_create(data, bytes, 0, nullptr));
  if (!source) throw std::bad_alloc();
  return source;
}

std::string read_member(zip_t* archive, zip_uint64_t index, const zip_stat_t& stat, const std::string& name,
                        size_t archive_bytes) {
  // Deflate shrinks by at most 1032 to 1; a size beyond that is a lie that must not be allocated.
  if (stat.size / 1040 > archive_bytes)
    throw UserError(name + ": the member claims " + std::to_string(stat.size) +
                    " bytes, more than its archive can hold");
  const Member member(zip_fopen_index(archive, index, 0));
  if (!member) throw UserError(name + ": cannot read the member: " + zip_strerror(archive));
  std::string out(stat.size, '\0');
  size_t done = 0;
  while (done < out.size()) {
    const zip_int64_t n = zip_fread(member.get(), out.data() + done, out.size() - done);
    if (n < 0) throw UserError(name + ": the member is corrupt: " + zip_file_strerror(member.get()));
    if (n == 0)
      throw UserError(name + ": the member is cut: got " + std::to_string(done) + " bytes, expected " +
                      std::to_string(out.size()));
    done += static_cast<size_t>(n);
  }
  // The checksum is compared where the member ends.
  char end = 0;
  if (zip_fread(member.get(), &end, 1) != 0)
    throw UserError(name + ": the member is corrupt: " + zip_file_strerror(member.get()));
  return out;
}

}  // namespace

std::vector<NpzMember> read_npz(const std::string& path) {
  const std::string bytes = read_file(path);
  // libzip takes an empty file for an empty archive.
  if (!bytes.starts_with("PK")) throw UserError(path + ": not a whole .npz archive: Not a zip archive");
  const Source source = memory(bytes.data(), bytes.size());
  std::string why;
  const Archive archive = open_archive(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, why);
  if (!archive) throw UserError(path + ": not a whole .npz archive: " + why);
  std::vector<NpzMember> members;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0)
      throw UserError(path + ": the .npz archive is corrupt: " + zip_strerror(archive.get()));
    std::string name = stat.name;
    if (!name.ends_with(".npy"))
      throw UserError(path + ": its member " + name + " is no .npy file, as those of a .npz archive are");
    name.resize(name.size() - 4);
    std::string content = read_member(archive.get(), index, stat, path + ":" + name, bytes.size());
    members.emplace_back(std::move(name), std::move(content));
  }
  return members;
}

std::string format_npz(const std::vector<NpzMember>& members) {
  const Source target = memory(nullptr, 0);
  std::string why;
  Archive archive = open_archive(target.get(), ZIP_TRUNCATE, why);
  if (!archive) throw InternalError("cannot begin an archive: " + why);
  const auto check = [&](bool good) {
    if (!good) throw InternalError(std::string("cannot write an archive: ") + zip_strerror(archive.get()));
  };
  for (const auto& [name, content] : members) {
    Source source = memory(content.data(), content.size());
    const zip_int64_t index = zip_file_add(archive.get(), (name + ".npy").c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    check(index >= 0);
    [[maybe_unused]] const zip_source_t* theirs = source.release();  // the archive's from here on
    const auto added = static_cast<zip_uint64_t>(index);
    check(zip_set_file_compression(archive.get(), added, ZIP_CM_STORE, 0) == 0);
    // Equal results make equal files: the earliest time that zip can say.
    check(zip_file_set_dostime(archive.get(), added, 0, (1 << 5) | 1, 0) == 0);
  }
  check(zip_close(archive.get()) == 0);
  [[maybe_unused]] const zip_t* closed = archive.release();
  zip_stat_t stat;
  zip_stat_init(&stat);
  zip_error_t* error = zip_source_error(target.get());
  std::string out;
  bool good = zip_source_stat(target.get(), &stat) == 0 && zip_source_open(target.get()) == 0;
  if (good) {
    out.resize(stat.size);
    good = zip_source_read(target.get(), out.data(), out.size()) == static_cast<zip_int64_t>(out.size());
    zip_source_close(target.get());
  }
  if (!good) throw InternalError(std::string("cannot read back an archive: ") + zip_error_strerror(error));
  return out;
}

}  // namespace weft::cli
