// Streams: buffers in memory, files, and the process's own.
#include <algorithm>
#include <cerrno>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/intrinsics/text_io.h"
#include "julia/run/effects.h"
#include "julia/types/subtype.h"

namespace weft::julia {

void Stream::write(Evaluator& e, std::string_view text) {
  switch (kind) {
    case Kind::kOut: return e.write_out(text);
    case Kind::kError: return e.write_error(text);
    case Kind::kNull: return;
    case Kind::kIn: throw_argument_error("write failed, IOStream is not writeable");
    case Kind::kBuffer:
    case Kind::kFile: break;
  }
  if (!can_write || !is_open)
    throw_argument_error(kind == Kind::kBuffer ? "ensureroom failed, IOBuffer is not writeable"
                                               : "write failed, IOStream is not writeable");
  if (file != nullptr) {
    std::fwrite(text.data(), 1, text.size(), file);
    return;
  }
  if (is_append) position = data.size();
  if (position > data.size()) data.resize(position);
  data.replace(position, std::min(text.size(), data.size() - position), text);
  position += text.size();
  is_changed = true;
}

bool Stream::fill_line() {
  if (kind != Kind::kIn) return false;
  expect_effects_allowed("standard input");
  std::fflush(stdout);
  char* line = nullptr;
  size_t capacity = 0;
  const ssize_t n = getline(&line, &capacity, stdin);
  if (n > 0) data.append(line, static_cast<size_t>(n));
  std::free(line);
  return n > 0;
}

bool Stream::at_end() { return position >= data.size() && !fill_line(); }

void Stream::flush() {
  if (file != nullptr) std::fflush(file);
  if (kind != Kind::kFile || !is_changed || file != nullptr) return;
  if (std::FILE* f = std::fopen(path.c_str(), "wb")) {
    std::fwrite(data.data(), 1, data.size(), f);
    std::fclose(f);
  }
  is_changed = false;
}

void Stream::close() {
  flush();
  if (file != nullptr) std::fclose(file);
  file = nullptr;
  is_open = false;
}

Value make_stream(std::unique_ptr<Stream> stream) {
  const char* type = stream->kind == Stream::Kind::kBuffer ? "IOBuffer"
                     : stream->kind == Stream::Kind::kFile ? "IOStream"
                                                           : "TTY";
  return Value::of_object(as<DataType>(builtin_type(type)), new HostObject(std::shared_ptr<Stream>(std::move(stream))));
}

Stream* stream_of(const Value& io) {
  Value at = io;
  while (is_named(at, "IOContext")) at = get_field(at, 0);
  const bool is_stream = is_named(at, "IOBuffer") || is_named(at, "IOStream") || is_named(at, "TTY");
  // The stream outlives this call: `io` holds it.
  return is_stream ? static_cast<Stream*>(static_cast<HostObject*>(at.object())->contents.get()) : nullptr;
}

namespace {

Stream& stream(const Value& io) {
  Stream* s = stream_of(io);
  if (s == nullptr) throw Unsupported("reading and writing an IO of type " + io.type()->name->name.text());
  return *s;
}

Stream& readable(const Value& io) {
  Stream& s = stream(io);
  if (!s.can_read || s.kind == Stream::Kind::kOut || s.kind == Stream::Kind::kError)
    throw_argument_error("read failed, " + io.type()->name->name.text() + " is not readable");
  return s;
}

[[noreturn]] void throw_end_of_file() { throw JuliaError(make_exception("EOFError")); }

/// _io_buffer(bytes or text or nothing, read, write, append).
Value new_buffer(Evaluator&, Args a) {
  auto s = std::make_unique<Stream>();
  if (is_text(a[0])) {
    s->data = text_of(a[0]);
  } else if (is_array(a[0])) {
    const ArrayObject& bytes = array_of(a[0]);
    if (bytes.flat != core().uint8) throw Unsupported("an IOBuffer of anything but bytes");
    s->data.assign(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.length));
  }
  s->can_read = bool_of(a[1]), s->can_write = bool_of(a[2]), s->is_append = bool_of(a[3]);
  return make_stream(std::move(s));
}

/// _io_standard(0, 1, 2 or 3): stdin, stdout, stderr, devnull.
Value standard(Evaluator&, Args a) {
  using enum Stream::Kind;
  auto s = std::make_unique<Stream>();
  constexpr Stream::Kind kinds[] = {kIn, kOut, kError, kNull};
  s->kind = kinds[int_of(a[0])];
  s->can_read = s->kind == kIn, s->can_write = s->kind != kIn;
  return make_stream(std::move(s));
}

/// _io_open(path, read, write, create, truncate, append).
Value open_file(Evaluator&, Args a) {
  auto s = std::make_unique<Stream>();
  s->kind = Stream::Kind::kFile;
  s->path = text_of(a[0]);
  const bool write = bool_of(a[2]), create = bool_of(a[3]), truncate = bool_of(a[4]), append = bool_of(a[5]);
  if (write || create || truncate || append) expect_effects_allowed("a file opened for writing");
  s->can_read = bool_of(a[1]), s->can_write = write, s->is_append = append;
  const auto fail = [&] {
    throw JuliaError(make_exception("SystemError", {make_string("opening file \"" + s->path + "\""),
                                                    number(static_cast<int32_t>(errno)), nothing()}));
  };
  if (!s->can_read) {
    s->file = std::fopen(s->path.c_str(), append ? "ab" : truncate ? "wb" : "r+b");
    if (s->file == nullptr) fail();
    return make_stream(std::move(s));
  }
  if (!truncate) {
    std::FILE* f = std::fopen(s->path.c_str(), "rb");
    if (f == nullptr && !(write && create)) fail();
    char buffer[1 << 14];
    for (size_t n = 0; f != nullptr && (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) s->data.append(buffer, n);
    const bool is_bad = f != nullptr && std::ferror(f) != 0;
    if (f != nullptr) std::fclose(f);
    if (is_bad) fail();
  }
  s->is_changed = write && truncate;
  return make_stream(std::move(s));
}

void append_raw(std::string& out, const Value& v) {
  if (is_text(v)) {
    out += text_of(v);
  } else if (v.is(core().char_)) {
    out += char_text(char_of_value(v));
  } else if (v.is(core().symbol)) {
    out += v.as_symbol().text();
  } else if (is_array(v)) {
    const ArrayObject& x = array_of(v);
    if (x.flat != nullptr) {
      out.append(reinterpret_cast<const char*>(x.data()), static_cast<size_t>(x.length) * x.flat->layout().size);
      return;
    }
    for (int64_t i = 0; i < x.length; ++i) append_raw(out, get_element(x, i));
  } else if (v.type()->is_bits() && v.type()->layout().size > 0) {
    out.append(reinterpret_cast<const char*>(v.bits()), v.type()->layout().size);
  } else if (is_named(v, "RefValue")) {
    append_raw(out, get_field(v, 0));
  } else if (Stream* from = stream_of(v)) {
    while (!from->at_end()) {
      out.append(from->data, from->position);
      from->position = from->data.size();
    }
  } else {
    throw Unsupported("write of a value of type " + v.type()->name->name.text());
  }
}

Value write_values(Evaluator& e, Args a) {
  std::string out;
  for (const Value& v : a.subspan(1)) append_raw(out, v);
  stream(a[0]).write(e, out);
  return integer(static_cast<int64_t>(out.size()));
}

Value take(Evaluator&, Args a) {
  Stream& s = stream(a[0]);
  const size_t from = s.can_write ? 0 : std::min(s.position, s.data.size());
  const std::string_view rest = std::string_view(s.data).substr(from);
  Value v = make_array(core().uint8, {static_cast<int64_t>(rest.size())});
  std::ranges::copy(rest, reinterpret_cast<char*>(array_of(v).data()));
  if (s.can_write) s.data.clear();
  s.position = s.data.size();
  return v;
}

Value at_end(Evaluator&, Args a) { return boolean(readable(a[0]).at_end()); }

Value read_all(Evaluator&, Args a) {
  Stream& s = readable(a[0]);
  while (s.fill_line()) {}
  const std::string rest = s.position < s.data.size() ? s.data.substr(s.position) : "";
  s.position = std::max(s.position, s.data.size());
  return make_string(rest);
}

/// _io_read_bits(io, T).
Value read_bits(Evaluator&, Args a) {
  Stream& s = readable(a[0]);
  const auto* type = as<DataType>(a[1].as_type());
  if (type == nullptr || !type->is_bits()) throw Unsupported("read of a type that is no plain bits");
  if (type == core().char_) {
    if (s.at_end()) throw_end_of_file();
    return char_value(next_char(s.data, s.position));
  }
  const size_t n = type->layout().size;
  while (s.data.size() < s.position + n && s.fill_line()) {}
  if (s.data.size() < s.position + n) throw_end_of_file();
  const size_t from = std::exchange(s.position, s.position + n);
  return Value::from_bits(type, s.data.data() + from);
}

/// _io_read_bytes(io, n): at most n bytes.
Value read_bytes(Evaluator&, Args a) {
  Stream& s = readable(a[0]);
  const auto wanted = static_cast<size_t>(std::max<int64_t>(int_of(a[1]), 0));
  while (s.data.size() - std::min(s.position, s.data.size()) < wanted && s.fill_line()) {}
  const size_t from = std::min(s.position, s.data.size()), n = std::min(wanted, s.data.size() - from);
  Value v = make_array(core().uint8, {static_cast<int64_t>(n)});
  std::copy_n(s.data.data() + from, n, reinterpret_cast<char*>(array_of(v).data()));
  s.position = from + n;
  return v;
}

/// _io_readline(io, keep).
Value read_line(Evaluator&, Args a) {
  Stream& s = readable(a[0]);
  if (s.position >= s.data.size()) s.fill_line();
  if (s.position >= s.data.size()) return make_string("");
  const size_t end = s.data.find('\n', s.position);
  std::string line = s.data.substr(s.position, end == std::string::npos ? end : end - s.position + 1);
  s.position += line.size();
  if (!bool_of(a[1]) && line.ends_with('\n')) {
    line.pop_back();
    if (line.ends_with('\r')) line.pop_back();
  }
  return make_string(std::move(line));
}

/// _io_readuntil(io, text, keep).
Value read_until(Evaluator&, Args a) {
  Stream& s = readable(a[0]);
  const std::string mark = a[1].is(core().char_) ? char_text(char_of_value(a[1])) : std::string(text_of(a[1]));
  size_t end = s.data.find(mark, s.position);
  while (end == std::string::npos && s.fill_line()) end = s.data.find(mark, s.position);
  const size_t from = std::min(s.position, s.data.size());
  const size_t stop = end == std::string::npos ? s.data.size() : end;
  s.position = end == std::string::npos ? stop : end + mark.size();
  return make_string(s.data.substr(from, (bool_of(a[2]) ? s.position : stop) - from));
}

Value position_of(Evaluator&, Args a) { return integer(static_cast<int64_t>(stream(a[0]).position)); }
Value seek(Evaluator&, Args a) {
  Stream& s = stream(a[0]);
  const int64_t to = int_of(a[1]);
  s.position = to < 0 ? s.data.size() : std::min(static_cast<size_t>(to), s.data.size());
  return a[0];
}
Value size_of(Evaluator&, Args a) { return integer(static_cast<int64_t>(stream(a[0]).data.size())); }
Value truncate(Evaluator&, Args a) {
  Stream& s = stream(a[0]);
  s.data.resize(static_cast<size_t>(int_of(a[1])));
  s.position = std::min(s.position, s.data.size());
  return a[0];
}
Value can_read(Evaluator&, Args a) { return boolean(stream(a[0]).can_read && stream(a[0]).is_open); }
Value can_write(Evaluator&, Args a) { return boolean(stream(a[0]).can_write && stream(a[0]).is_open); }
Value is_open(Evaluator&, Args a) { return boolean(stream(a[0]).is_open); }
Value close_stream(Evaluator&, Args a) {
  stream(a[0]).close();
  return nothing();
}
Value flush_stream(Evaluator&, Args a) {
  Stream& s = stream(a[0]);
  s.flush();
  if (s.kind == Stream::Kind::kOut) std::fflush(stdout);
  return nothing();
}

/// _io_context(io, settings): an IOContext; settings of one around are taken over.
Value new_context(Evaluator&, Args a) {
  Value inner = a[0], settings = make_dict(core().symbol, core().any);
  const auto take_over = [&](const DictObject& d) {
    for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1))
      assign(dict_of(settings), d.keys[static_cast<size_t>(i)], d.values[static_cast<size_t>(i)]);
  };
  if (is_named(inner, "IOContext")) {
    take_over(dict_of(get_field(inner, 1)));
    inner = get_field(inner, 0);
  }
  take_over(dict_of(a[1]));
  return make_struct(applied(builtin_type("IOContext"), {inner.type()}), {inner, settings});
}

constexpr IntrinsicEntry kEntries[] = {
    {"_io_buffer", new_buffer, 4, 4},
    {"_io_standard", standard, 1, 1},
    {"_io_open", open_file, 6, 6},
    {"_io_write", write_values, 1, -1},
    {"_io_take", take, 1, 1},
    {"_io_eof", at_end, 1, 1},
    {"_io_read_all", read_all, 1, 1},
    {"_io_read_bits", read_bits, 2, 2},
    {"_io_read_bytes", read_bytes, 2, 2},
    {"_io_readline", read_line, 2, 2},
    {"_io_readuntil", read_until, 3, 3},
    {"_io_position", position_of, 1, 1},
    {"_io_seek", seek, 2, 2},
    {"_io_size", size_of, 1, 1},
    {"_io_truncate", truncate, 2, 2},
    {"_io_readable", can_read, 1, 1},
    {"_io_writable", can_write, 1, 1},
    {"_io_isopen", is_open, 1, 1},
    {"_io_close", close_stream, 1, 1},
    {"_io_flush", flush_stream, 1, 1},
    {"_io_context", new_context, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> stream_intrinsics() { return kEntries; }

}  // namespace weft::julia
