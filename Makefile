# The two commands for a fresh Debian 12 machine are `make demo` and `make test`. CMakePresets.json has the other builds.
BUILD := build
JOBS := $(shell nproc)
DATA ?= /usr/share/datasets/fashion-mnist

.PHONY: build demo demo-julia test test-all asan tsan fuzz bench-julia bench-mandelbrot bench-step format format-check tidy check-includes deps clean

deps:
	tools/install_deps.sh build

build: deps
	@log=$$(cmake --preset release 2>&1) || { echo "$$log"; exit 1; }
	cmake --build --preset release -j $(JOBS)

# Trains a small CNN on Fashion-MNIST; the last line is `test accuracy 0.9xxx`.
demo-julia: build
	$(BUILD)/weft run examples/julia/fashion_mnist.jl

demo: build
	$(BUILD)/examples/fashion_mnist --data $(DATA) --chart $(BUILD)/fashion_mnist_loss.svg

test: build
	ctest --preset release -j $(JOBS)

# Every program, and every record of the corpora at hand, in every mode; then the whole suite under the sanitizers.
test-all: test
	tools/test_modes.sh $(BUILD)/weft tests/error tests/op tests/transform \
	  $$(ls -d $(BUILD)/corpus/cases $(BUILD)/corpus/jax 2> /dev/null)
	$(MAKE) asan tsan

asan tsan: deps
	cmake --preset $@
	cmake --build --preset $@ -j $(JOBS)
	ctest --preset $@ -j $(JOBS)

fuzz:
	tools/install_deps.sh build fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	tools/run_fuzzers.sh build-fuzz/fuzz

# `mandelbrot_lanes ratio R`: our time over a hand-written AVX-512 loop's, in one run.
bench-mandelbrot: build
	OMP_NUM_THREADS=2 $(BUILD)/bench/mandelbrot_lanes

# `julia NAME ratio R`: programs of bench/julia/loops.jl against g++ -O3 on the same work.
bench-julia: build
	$(BUILD)/bench/julia_loops bench/julia/loops.jl
	$(BUILD)/bench/julia_loops bench/julia/small.jl

# `train_step ratio R`: the demo's training step against PyTorch eager (installed into the build folder).
bench-step: build
	tools/bench_step.sh $(BUILD)

SOURCES = $(shell git ls-files '*.cc' '*.h' '*.c')

format:
	tools/install_deps.sh check
	clang-format-19 -i $(SOURCES)

format-check:
	tools/install_deps.sh check
	clang-format-19 --dry-run -Werror $(SOURCES)

# FILES="a.cc b.cc" checks these only; the default is what differs from BASE, and everything where nothing does.
tidy: build
	tools/install_deps.sh tidy
	tools/tidy.sh $(BUILD) $(FILES)

check-includes:
	python3 tools/check_includes.py --self-test
	python3 tools/check_includes.py

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz
