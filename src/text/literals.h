// Elements of dense<…>: text → bytes and back, for every element type.
#pragma once
#include <string>
#include <string_view>

#include "ir/attr.h"
#include "text/cursor.h"

namespace weft::text {

/// Parses what stands between dense< and >. The cursor is at the content's begin; afterwards behind its last character.
Literal parse_dense_content(Cursor& cursor, Type type);
/// Bytes of a dense_resource blob (MLIR: "0x" + 4 bytes of alignment + data, in hex) as a literal.
Literal literal_from_blob(Cursor& cursor, std::string_view hex, size_t at, Type type);
/// Appends one element.
void append_element(std::string& out, ElementType type, const std::byte* element);
/// Appends "dense<...>" without the type; large ones in hex.
void append_dense(std::string& out, const Literal& literal);

}  // namespace weft::text
