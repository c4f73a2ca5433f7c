# Arrays and texts that no memory holds, and extents that are no sizes.
using Test

caught(f) =
    try
        f()
        nothing
    catch e
        e
    end

function total(n)
    try
        sum(zeros(n))
    catch e
        e isa OutOfMemoryError ? -1.0 : -2.0
    end
end

function totals(n)
    s = 0.0
    for i in 1:n
        s += sum(zeros(10^13))
    end
    s
end

const NO_SIZE = "ArgumentError: invalid GenericMemory size: the number of elements is either negative or too large " *
                "for system address width"

@testset "more than there is" begin
    for f in (() -> zeros(10^13), () -> collect(1:10^15), () -> [1:10^15;], () -> fill(1, 10^13),
              () -> resize!([1], 10^15), () -> rand(10^13), () -> trues(10^15), () -> falses(10^18),
              () -> Matrix{Int8}(undef, 2^25, 2^25), () -> Vector{Any}(undef, 10^14), () -> repeat("ab", 10^15),
              () -> lpad("a", 10^15), () -> rpad("a", 10^15, "xy"),
              () -> repeat([1], 10^15), () -> [i * j for i in 1:10^7, j in 1:10^7], () -> Float64[i for i in 1:10^14])
        @test caught(f) == OutOfMemoryError()
    end
    @test total(10^13) == -1.0
    @test total(3) == 0.0
    @test caught(() -> totals(2)) == OutOfMemoryError()
end

@testset "extents that are no sizes" begin
    @test sprint(showerror, caught(() -> Matrix{Float64}(undef, 2^31, 2^31))) == NO_SIZE
    @test sprint(showerror, caught(() -> fill(1, typemax(Int)))) == NO_SIZE
    @test sprint(showerror, caught(() -> Vector{Any}(undef, 2^61))) == NO_SIZE
    @test sprint(showerror, caught(() -> zeros(-1))) == NO_SIZE
    @test sprint(showerror, caught(() -> Matrix{Int8}(undef, 2^40, 2^40))) == "ArgumentError: invalid Array dimensions"
    @test size(zeros(0, 2^40, 2^40)) == (0, 2^40, 2^40)
end
