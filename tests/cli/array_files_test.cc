// .npy and .npz: files that NumPy wrote (samples/write.py), files made by hand from the format's description, and damaged ones.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using ArrayFiles = Command;

const std::string kMatrix = "tensor<2x3xf32> =\n[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]\n";
const std::string kTransposed = "tensor<3x2xf32> =\n[[0.0, 3.0],\n [1.0, 4.0],\n [2.0, 5.0]]\n";

TEST_F(ArrayFiles, WhatNumPyWrites) {
  const struct {
    const char *file, *type, *printed;
  } kRows[] = {
      {"version1_f32_2x3.npy", "tensor<2x3xf32>", "\n[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]"},
      {"version2_f32_2x3.npy", "tensor<2x3xf32>", "\n[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]"},
      {"version3_f32_2x3.npy", "tensor<2x3xf32>", "\n[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]"},
      {"big_endian_fortran_i32_2x3.npy", "tensor<2x3xi32>", "\n[[0, 1, 2],\n [3, 4, 5]]"},
      {"fortran_f32_2x3x4.npy", "tensor<2x3x4xf32>",
       "\n[[[ 0.0,  1.0,  2.0,  3.0],\n  [ 4.0,  5.0,  6.0,  7.0],\n  [ 8.0,  9.0, 10.0, 11.0]],\n\n"
       " [[12.0, 13.0, 14.0, 15.0],\n  [16.0, 17.0, 18.0, 19.0],\n  [20.0, 21.0, 22.0, 23.0]]]"},
      {"big_endian_c128_2x2.npy", "tensor<2x2xcomplex<f64>>",
       "\n[[ (0.0, 0.0), (1.0, -2.0)],\n [(2.0, -4.0), (3.0, -6.0)]]"},
      {"bool_2x2.npy", "tensor<2x2xi1>", "\n[[ true, false],\n [false,  true]]"},
      {"f16_3.npy", "tensor<3xf16>", " [0.5, -65504.0, inf]"},
      // 3e38 rounded to bfloat16 is 0x7f62 = 0x1.c4p127.
      {"bf16_3.npy", "tensor<3xbf16>", " [1.0, -2.5, 3.0040553e+38]"},
      {"f8e4m3fn_3.npy", "tensor<3xf8E4M3FN>", " [1.0, -448.0, 0.0625]"},
      {"i4_3.npy", "tensor<3xi4>", " [1, -2, 7]"},
      {"u4_3.npy", "tensor<3xui4>", " [1, 2, 15]"},
  };
  for (const auto& row : kRows) {
    const Answer answer = weft("run " + identity({row.type}) + " --target eval --input " + sample(row.file));
    EXPECT_EQ(answer.code, 0) << row.file << ": " << answer.error;
    EXPECT_EQ(answer.out, std::string(row.type) + " =" + row.printed + "\n");
  }
}

TEST_F(ArrayFiles, ArchivesGoInOrderOrByName) {
  const std::string program = identity({"tensor<2x3xf32>", "tensor<3x2xf32>"});
  EXPECT_EQ(weft("run " + program + " --target eval --input " + sample("stored.npz")).out, kMatrix + kTransposed);
  EXPECT_EQ(weft("run " + program + " --target eval --input " + sample("deflated_named.npz")).out,
            kMatrix + kTransposed);
  // One member each, the second argument first.
  EXPECT_EQ(weft("run " + program + " --target eval --input arg1=" + sample("stored.npz") + ":arr_1 --input " +
                 sample("deflated_named.npz") + ":arg0")
                .out,
            kMatrix + kTransposed);
  EXPECT_EQ(weft("run " + program + " --target eval --input %arg1='[[0, 3], [1, 4], [2, 5]]' --input " +
                 sample("version1_f32_2x3.npy"))
                .out,
            kMatrix + kTransposed);
}

TEST_F(ArrayFiles, NamesThatExportersKeep) {
  const std::string program =
      file("named.mlir",
           "func.func @main(%arg0: tensor<f32> {jax.arg_info = \"params['w']\"}, %arg1: tensor<i32> "
           "{jax.arg_info = \"step\"}) -> (tensor<f32>, tensor<i32>) {\n  return %arg0, %arg1 : "
           "tensor<f32>, tensor<i32>\n}\n");
  EXPECT_EQ(weft("run " + program + " --target eval --input step=3 --input \"params['w']=0.5\"").out,
            "tensor<f32> = 0.5\ntensor<i32> = 3\n");
  EXPECT_HAS(weft("run " + program + " --input setp=3").error,
             "@main has no argument setp: expected params['w']: tensor<f32>, step");
}

TEST_F(ArrayFiles, ArchivesThatDoNotFit) {
  const std::string pair = identity({"tensor<2x3xf32>", "tensor<3x2xf32>"});
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Answer answer = weft("run " + arguments);
    EXPECT_EQ(answer.code, 1) << arguments;
    EXPECT_HAS(answer.error, message);
    EXPECT_EQ(answer.out, "");
  };
  refused(pair + " --input " + sample("stored.npz") + ":arr_7 --input 0",
          "stored.npz: got no member arr_7, expected one of arr_0, arr_1");
  refused(pair + " --input arg0=0 --input " + sample("deflated_named.npz"), "got two inputs for argument 0");
  refused(pair + " --input " + sample("stored.npz") + " --input 0", "got more inputs than arguments, expected 2");
  refused(identity({"tensor<2x3xf32>"}) + " --input " + sample("deflated_named.npz"),
          "its member arg1 is no argument of @main: expected arg0: tensor<2x3xf32>");
  refused(identity({"tensor<3x2xf32>", "tensor<2x3xf32>"}) + " --input " + sample("stored.npz"),
          "stored.npz:arr_0 (taken in order): got tensor<2x3xf32> (numpy '<f4'), expected tensor<3x2xf32>");
}

TEST_F(ArrayFiles, DamagedArchives) {
  const std::string pair = identity({"tensor<2x3xf32>", "tensor<3x2xf32>"});
  for (const char* name : {"stored.npz", "deflated_named.npz"}) {
    const std::string whole = read(sample(name));
    // Cut anywhere it is no archive: the directory stands at the end.
    for (size_t size = 0; size < whole.size(); size += 37) {
      const Answer answer = weft("run " + pair + " --input " + file("cut.npz", whole.substr(0, size)));
      EXPECT_EQ(answer.code, 1) << name << " cut to " << size;
      EXPECT_HAS(answer.error, "cut.npz: not a whole .npz archive");
    }
  }
  // A changed element no longer has the member's checksum. The first member's last byte stands before "PK" of the second.
  std::string changed = read(sample("stored.npz"));
  changed[changed.find("PK\x03\x04", 4) - 1] ^= 1;
  const Answer answer = weft("run " + pair + " --input " + file("changed.npz", changed));
  EXPECT_EQ(answer.code, 1);
  EXPECT_HAS(answer.error, "changed.npz:arr_0: the member is corrupt");
}

/// The members of an archive, read by the layout of the zip specification: stored members, one after the other.
std::vector<std::pair<std::string, std::string>> stored_members(const std::string& zip) {
  const auto number = [&](size_t at, size_t n) {
    size_t out = 0;
    for (size_t i = n; i-- > 0;) out = out << 8 | static_cast<unsigned char>(zip.at(at + i));
    return out;
  };
  std::vector<std::pair<std::string, std::string>> out;
  size_t at = 0;
  while (zip.compare(at, 4, "PK\x03\x04") == 0) {
    EXPECT_EQ(number(at + 8, 2), 0u) << "stored";
    const size_t size = number(at + 18, 4), name = number(at + 26, 2), extra = number(at + 28, 2);
    EXPECT_EQ(number(at + 22, 4), size);
    const std::string content = zip.substr(at + 30 + name + extra, size);
    uint32_t crc = ~0u;
    for (const unsigned char c : content) {
      crc ^= c;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    EXPECT_EQ(number(at + 14, 4), ~crc) << "checksum";
    out.emplace_back(zip.substr(at + 30, name), content);
    at += 30 + name + extra + size;
  }
  EXPECT_EQ(zip.compare(at, 4, "PK\x01\x02"), 0) << "the directory follows";
  return out;
}

TEST_F(ArrayFiles, Results) {
  const std::string program = identity({"tensor<2x2xf32>", "tensor<2xbf16>", "tensor<i64>", "tensor<3xi1>"});
  const std::string inputs =
      " --target eval --input '[[1, 2], [3, 4]]' --input '[1, 2]' --input -5 --input '[true, false, true]'";
  const std::string expected[] = {npy("<f4", "(2, 2)", bytes<float>({1, 2, 3, 4})),
                                  npy("|V2", "(2,)", bytes<uint16_t>({0x3f80, 0x4000})),
                                  npy("<i8", "()", bytes<int64_t>({-5})), npy("|b1", "(3,)", bytes<char>({1, 0, 1}))};
  const std::string out = (folder_ / "a/b").string();
  Answer answer = weft("run " + program + inputs + " --out " + out);
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "");
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(read(out + "/result" + std::to_string(i) + ".npy"), expected[i]);

  const std::string archive = (folder_ / "results.npz").string();
  answer = weft("run " + program + inputs + " --out " + archive);
  ASSERT_EQ(answer.code, 0) << answer.error;
  const auto members = stored_members(read(archive));
  ASSERT_EQ(members.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(members[i].first, "result" + std::to_string(i) + ".npy");
    EXPECT_EQ(members[i].second, expected[i]);
  }
  // What was written is an input again.
  EXPECT_EQ(weft("run " + program + " --target eval --input " + archive).out, weft("run " + program + inputs).out);
  EXPECT_TRUE(nothing_temporary_is_left());
}

TEST_F(ArrayFiles, TheTypeMustBeTheArguments) {
  const struct {
    const char *type, *file, *message;
  } kRows[] = {
      {"tensor<2x3xf64>", "version1_f32_2x3.npy",
       "argument 0, {}: got tensor<2x3xf32> (numpy '<f4'), expected tensor<2x3xf64>"},
      {"tensor<2x?xf32>", "fortran_f32_2x3x4.npy",
       "argument 0, {}: got tensor<2x3x4xf32> (numpy '<f4'), expected tensor<2x?xf32>"},
      {"tensor<6xf32>", "version1_f32_2x3.npy", "got tensor<2x3xf32> (numpy '<f4'), expected tensor<6xf32>"},
      {"tensor<3xbf16>", "f16_3.npy",
       "got tensor<3xf16> (numpy '<f2'), expected tensor<3xbf16> (as raw bytes, numpy 'V2')"},
      {"tensor<3xf16>", "bf16_3.npy", "got elements of numpy type <V2, shape [3], expected tensor<3xf16>"},
      {"tensor<2xf32>", "strings.npy", "got elements of numpy type <U3, shape [2], expected tensor<2xf32>"},
      {"tensor<2xf32>", "objects.npy", "Python objects are not read: convert them to numbers"},
      {"tensor<2xf32>", "records.npy",
       "got elements of numpy type [('a', '<f4'), ('b', '<i2')], shape [2], expected tensor<2xf32>"},
      {"tensor<3xi4>", "f8e4m3fn_3.npy", "element 0: got a byte of value 56, expected 4 bits (i4)"},
  };
  for (const auto& row : kRows) {
    const Answer answer = weft("run " + identity({row.type}) + " --input " + sample(row.file));
    EXPECT_EQ(answer.code, 1) << row.file;
    std::string message = row.message;
    if (const size_t at = message.find("{}"); at != std::string::npos) message.replace(at, 2, sample(row.file));
    EXPECT_HAS(answer.error, message);
  }
}

TEST_F(ArrayFiles, DamagedArrays) {
  const std::string program = identity({"tensor<2xf32>"});
  const std::string data = bytes<float>({1, 2}), good = npy("<f4", "(2,)", data);
  const auto refused = [&](const std::string& content, const std::string& message) {
    const Answer answer = weft("run " + program + " --input " + file("bad.npy", content));
    EXPECT_EQ(answer.code, 1) << message;
    EXPECT_EQ(answer.out, "");
    EXPECT_HAS(answer.error, "argument 0, " + (folder_ / "bad.npy").string() + ": ");
    EXPECT_HAS(answer.error, message);
  };
  ASSERT_EQ(weft("run " + program + " --input " + file("good.npy", good)).code, 0);
  refused("", "this is not a .npy file");
  refused("\x93NUMPX", "this is not a .npy file");
  refused(good.substr(0, 7), "the file ends in its .npy header");
  refused(good.substr(0, 40), "the file ends in its .npy header: got 40 bytes, expected 128 of header alone");
  refused(good.substr(0, good.size() - 1), "the file is cut: got 7 bytes of elements, expected 8 for tensor<2xf32>");
  refused(good + "x", "something stands behind the elements: got 9 bytes of elements, expected 8");
  refused(npy("<f4", "(2,)", data, 9), ".npy version: got 9.0, expected 1.0 to 3.0");
  refused(npy("<f4", "(-2,)", data), "the .npy header is corrupt: its shape has an extent that is none");
  refused(npy("<f4", "(99999999999999999999,)", data), "the .npy header is corrupt");
  refused(npy("<f4", "2", data), "the .npy header is corrupt");
  refused(npy_with_header("", data), "the .npy header is corrupt");
  refused(npy_with_header("{'descr': '<f4', 'shape': (2,)}", data), "it has no 'fortran_order'");
  refused(npy_with_header("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}", data), "neither True nor False");
  refused(npy_with_header("{'fortran_order': False, 'shape': (2,)}", data), "it has no 'descr'");
  refused(npy_with_header("{'descr': '<f4', 'fortran_order': False}", data), "it has no 'shape'");
  refused(npy_with_header("{'descr': [[[[[", data), "a bracket of 'descr' is not closed");
  // The product of these extents is 0 in 64 bits.
  const Answer overflow = weft("run " + identity({"tensor<?x?xf32>"}) + " --input " +
                               file("huge.npy", npy("<f4", "(4294967296, 4294967296)", "")));
  EXPECT_EQ(overflow.code, 1);
  EXPECT_HAS(overflow.error, "the file is cut: got 0 bytes of elements, expected more than there can be");
  EXPECT_HAS(weft("run " + program + " --input " + file("x.bin", data)).error,
             "x.bin: arrays are read from files whose names end in .npy or .npz");
  EXPECT_HAS(weft("run " + program + " --input " + (folder_ / "none.npy").string()).error, "none.npy: No such file");
  EXPECT_HAS(weft("run " + program + " --input " + (folder_ / "none.npz").string()).error, "none.npz: No such file");
}

TEST_F(ArrayFiles, HeadersMayBeWrittenOtherwise) {
  // Any order of keys, either quote, no space or much, an integer as Python 2 wrote it.
  const std::string header = "{\"shape\":( 2L , ),\"fortran_order\":False   ,\"descr\":\"<f4\"}";
  const Answer answer = weft("run " + identity({"tensor<2xf32>"}) + " --input " +
                             file("x.npy", npy_with_header(header, bytes<float>({1, 2}))));
  EXPECT_EQ(answer.out, "tensor<2xf32> = [1.0, 2.0]\n") << answer.error;
}

TEST_F(ArrayFiles, NothingHalfWritten) {
  const std::string program = identity({"tensor<2xf32>", "tensor<4096xf32>"});
  const std::string run = "run " + program + " --target eval --input '[1, 2]' --input 0 --out ";
  const std::string out = (folder_ / "out_folder").string();
  const auto refused = [&](const Answer& answer, const std::string& message) {
    EXPECT_EQ(answer.code, 1);
    EXPECT_HAS(answer.error, message);
    EXPECT_TRUE(nothing_temporary_is_left());
  };
  refused(weft(run + file("plain", "text") + "/results"), "cannot make the folder ");
  EXPECT_EQ(read(folder_ / "plain"), "text");
  refused(weft(run + (folder_ / "plain").string()), "cannot");

  // The second result does not fit under the limit on files (1 block of 512 or 1024 bytes): the first does not appear either.
  fs::create_directories(out);
  write(out + "/result0.npy", "old");
  refused(weft(run + out, "ulimit -f 1;"), "result1.npy: File too large");
  EXPECT_EQ(read(out + "/result0.npy"), "old");
  EXPECT_FALSE(fs::exists(out + "/result1.npy"));
  const std::string archive = file("results.npz", "old");
  refused(weft(run + archive, "ulimit -f 1;"), "results.npz: File too large");
  EXPECT_EQ(read(archive), "old");

  // A device that is always full, in the second file's place.
  fs::create_symlink("/dev/full", out + "/result1.npy");
  refused(weft(run + out), "result1.npy: No space left on device");
  EXPECT_EQ(read(out + "/result0.npy"), "old");
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device is written, never replaced";
  fs::remove(out + "/result1.npy");

  fs::create_directory(out + "/result1.npy");
  refused(weft(run + out), "result1.npy: Is a directory");
  EXPECT_EQ(read(out + "/result0.npy"), "old");
}

}  // namespace
