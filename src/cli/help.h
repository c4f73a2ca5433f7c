// What stands below the options in each command's --help: what it is for, by example.
#pragma once

namespace weft::cli::help {

inline constexpr const char* kMain =
    R"(Start here:
  weft check model.mlir                         is the program well formed?
  weft run model.mlir --input x.npy             run it and print the results
  weft transform model.mlir --grad main:0       its gradient, as a program again
  weft run program.jl                           run a Julia program; weft repl: a prompt
  weft help run                                 more on one command

FILE is StableHLO text, as jax.jit(f).lower(x).as_text() prints it; - is standard input.
Results go to standard output, everything else to standard error.

Exit codes:
  0   done
  1   the program or an input is wrong; the message names the place, what it got and what it expected
  2   the command was called wrongly
  3   Weft does not support this; the message names the op and the reason
  70  a fault of Weft; the message ends in the command that reproduces it
  130 interrupted
)";

inline constexpr const char* kRun =
    R"(An input is one of
  2.0   [1.0, 2.0]   [[1, 2], [3, 4]]   elements, written as in dense<...>
  x.npy                                 a NumPy array; the element type must be the argument's
  w.npz                                 arrays for several arguments, by name (arg0, arg1, ...) or in order
  w.npz:kernel                          one array of an archive
and goes to the next argument without one, or with arg1=... to that one. NumPy has no bf16, f8 or i4: these come
as raw bytes or integers of their size. Open extents (tensor<?xf32>) take those of the input.

Example: y = x + x
  $ cat twice.mlir
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
  $ weft run twice.mlir --input '[1.0, 2.5]'
  tensor<2xf32> = [2.0, 5.0]
  $ weft run twice.mlir --input x.npy --out results       writes results/result0.npy
  $ weft run twice.mlir --input x.npy --out results.npz   writes one archive with the member result0

Julia: the words behind FILE.jl are the program's own, ARGS. Options of weft stand in front of it.
  $ weft run heat.jl 100 0.1
  $ weft run -e 'println(sum(1:10))'
  55
An exception that nothing catches is written to standard error as Julia does; the exit code is 1.
Functions with loops, recursion or whole arrays are compiled when they are called; --compile=always compiles every function that can
be, --compile=never none. --timings says what each signature cost, --cache DIR keeps their code (or off). --report says at the end how many
signatures were compiled, and of each other one why not:
  $ weft run --compile=always --report -e 'f(n) = n < 2 ? n : f(n-1) + f(n-2); println(f(20))'
  6765
  1 signatures compiled, 0 not; 1 calls of compiled code
)";

inline constexpr const char* kRepl =
    R"(Reads Julia until an input is complete, prints its value; ans is the last one, a semicolon at the end keeps it quiet.
  $ weft repl
  julia> x = [1 2; 3 4];
  julia> x'
  2×2 adjoint(::Matrix{Int64}) with eltype Int64:
   1  3
   2  4
Control-C gives up an input or stops what runs, Control-D ends. Input that comes from no terminal is read without prompts.
)";

inline constexpr const char* kCheck =
    R"(Of a StableHLO program nothing is said when all is well; the exit code is 0. Otherwise:
  $ weft check bad.mlir
  bad.mlir:2:8: error: [stablehlo.add] type of operand 1: got tensor<3xf32>, expected the type of operand 0, tensor<2xf32> (add_c1)
      %0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
           ^~~~~~~~~~~~~
A Julia source is checked for its syntax and the rules of scope, and all faults are said at once:
  $ weft check bad.jl
  bad.jl:1:7: error: Expected `)` or `,`
    f(x, y
          ^
Then its top level is followed, without effects, for the calls in it: each function called is compiled, and where that is not possible every cause is said
at its place (standard error); standard output lists what compiles, with the types. Exit code 1: not everything does, 3: only features are missing.
  weft check f.jl --entry 'g(Vector{Float64}(8))'    a call that the program does not make
  weft check f.jl --explain-types g                  the types of g's variables and expressions
  weft check f.jl --run                              run the program, for the calls that it makes
)";

inline constexpr const char* kFmt =
    R"(Examples:
  weft fmt model.mlir                  print it as Weft writes programs
  weft fmt -i a.mlir b.mlir            put that in the files' place, each at once or not at all
  weft fmt --generic - < model.mlir    read standard input, print MLIR's generic form
  weft fmt --sexpr program.jl          the syntax tree of a Julia source (docs/julia.md)
  weft fmt program.jl --emit stablehlo --entry 'f(Matrix{Float32}(3, 4))'
                                       the program that a call of a Julia function is; --emit weft keeps its checks
Constants keep their bits and are never elided. Comments and locations are not kept.
)";

inline constexpr const char* kTransform =
    R"(Steps apply from left to right; --as, --with-value, --recompute, --chunk, --memory, --lanes, --level, --strict and --arg-types belong to the step
before them. Without --as the result takes the function's place. Comments before the program say what its arguments and results are.

Examples, for @main(%w, %x) -> loss:
  weft transform m.mlir --grad main:0                          gradient by argument 0
  weft transform m.mlir --grad main:0,1 --with-value           loss, then both gradients
  weft transform m.mlir --grad main:0 --recompute 16           loops keep 16 trips, however many there are
  weft transform m.mlir --jacobian main:0 --chunk 64           64 columns (or rows) at once
  weft transform m.mlir --batch-jacobian main:1                examples along axis 0, each one's derivatives by itself
  weft transform m.mlir --hvp main:0 --as product              Hessian by argument 0 times one more argument
  weft transform m.mlir --vectorize main:_,0 --lanes 8         one w for all, x along its axis 0
  weft transform m.mlir --grad main:0 --vectorize main:_,0 --lanes 64      the gradient of each of 64 examples
  weft transform m.mlir --clipped-grad main:0 --lanes 64       their sum, each clipped to a bound, without forming them
  weft transform m.mlir --sparse-grad main:0                   of a table whose rows are gathered: indices and rows
  weft transform m.mlir --vectorize main:_,0 --lanes ?         as many lanes as a call's arguments have
  weft transform m.mlir --vectorize main:_,0 --lanes 1000 --chunk 64
  weft transform m.mlir --jvp main --as main_jvp               main stays; main_jvp also takes and gives tangents
  weft transform m.mlir --refine main --arg-types 'tensor<4x3xf32>, tensor<3xf32>' --simplify
  weft transform m.mlir --grad main:0 --portable main          the gradient for other compilers of StableHLO
  weft transform f.jl --entry 'f(Vector{Float64}(8))' --grad f:0     of a Julia function
)";

inline constexpr const char* kBuild =
    R"(Example:
  weft build model.mlir -o libmodel.so --header model.h --symbol model
  cc program.c -L. -lmodel          program.c includes model.h and calls model(...)
  weft build model.mlir -o model.a --header model.h --weights model.weights
                                    an archive; large constants in a file that its first call maps
  weft build program.jl --entry 'f(Matrix{Float32}(3, 4))' -o libf.so
                                    a call of a Julia function
  weft build program.jl -o program  the whole program, with its sources in it: ./program ARGS...
  weft build model.mlir -o model.tpu --pjrt-topology v5e:2x2
                                    code for TPUs, made here without one; weft run model.tpu where they are

The header says what the library takes and gives: types, sizes, alignment, status codes, functions for errors, threads,
workspace and handlers. The library needs libc, libm and libpthread only. A C compiler (cc, or what CC names) links it.
)";

inline constexpr const char* kExplain =
    R"(Example:
  weft explain model.mlir                        fused kernels, library calls with reasons, copies, memory plan
  weft explain model.mlir --html model.html      the same as a page: graph, kernels with source lines, memory over time
  weft explain model.mlir --dump simplified      the program that is scheduled
  weft explain model.mlir --dump asm --kernel k_0123   the machine code of one kernel, by its name in the account
)";

inline constexpr const char* kBench =
    R"(Examples:
  weft bench model.mlir --input x.npy            time of a call and of each step, GFLOP/s and GB/s beside the machine's limits
  weft bench model.mlir --no-fuse                what fusion saves: bytes moved, temporaries, time
  weft bench model.mlir --profile trace.json     a trace for chrome://tracing or ui.perfetto.dev
Times are medians; they need a machine that does nothing else, and a line says when it did.
)";

inline constexpr const char* kDiff =
    R"(Examples:
  weft diff model.mlir --targets eval,native                     random inputs, the same for the same --seed
  weft diff model.mlir --targets native,native:no-fuse --input x.npy --out small.mlir
The first target is the reference. Where results differ, the program is cut short until the first op at fault is known, and made
small; the outcome is a program without arguments that shows the difference. Exit code 1 when something differs.
)";

inline constexpr const char* kTest =
    R"(A .mlir program passes when its entry runs and its check.* ops hold; with "// error: TEXT" on a line it passes when it is
refused at that line with a message that contains TEXT. A folder with manifest*.jsonl is a set of records.

Examples:
  weft test tests/op                                  every program below the folder
  weft test tests/op --target eval --filter gather    some of them, on the reference evaluator
  weft test cases --jobs 8 --json scores.json         a set of records, scores by op in a file
The last line is "N passed, N failed, N skipped"; the exit code is 1 when something failed.
)";

}  // namespace weft::cli::help
