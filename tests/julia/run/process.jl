# What programs ask of their process, iterators that remember, values for code called from here, small types of Base.
using Test, LinearAlgebra
using Base.ScopedValues

const level = ScopedValue(1)
deeper() = with(deep, level => level[] + 1)
deep() = level[] < 4 ? deeper() : level[]
message(f) = try f(); "" catch e; sprint(showerror, e) end

@testset "process" begin
    @testset "C's types" begin
        @test Cint === Int32 && Clong === Int64 && Cdouble === Float64 && Csize_t === UInt && Cchar === Int8 && Cvoid === Nothing
        @test Core.bitcast(UInt64, 1.0) === 0x3ff0000000000000
        @test ENDIAN_BOM === 0x04030201
    end
    @testset "environment" begin
        @test withenv(() -> ENV["WEFT_TEST_ENV"], "WEFT_TEST_ENV" => "1") == "1"
        @test !haskey(ENV, "WEFT_TEST_ENV") && getpid() > 0
    end
    @testset "retry" begin
        tries = Ref(0)
        f = retry(() -> (tries[] += 1) < 3 ? error("no") : tries[]; delays = [0.0, 0.0, 0.0])
        @test f() == 3
        @test_throws ErrorException retry(() -> error("never"); delays = [0.0])()
        delays = collect(ExponentialBackOff(n = 4, first_delay = 1, factor = 2, jitter = 0, max_delay = 3))
        @test delays == [1, 2, 3, 3]
    end
    @testset "scoped values" begin
        @test deeper() == 4 && level[] == 1
        @test @with(level => 7, level[]) == 7
        @test !isassigned(ScopedValue{Int}()) && get(ScopedValue(2)) == Some(2)
        @test_throws ErrorException with(() -> error("x"), level => 9)
        @test level[] == 1
    end
    @testset "Stateful" begin
        s = Iterators.Stateful([1, 1, 1, 2, 3, 4])
        for x in s
            x == 1 || break
        end
        @test peek(s) == 3 && sum(s) == 7 && isempty(s)
        @test_throws EOFError popfirst!(s)
        Iterators.reset!(s)
        @test popfirst!(s) == 1 && collect(Iterators.take(s, 2)) == [1, 1]
        @test Iterators.nth(10:10:50, 3) == 30
    end
    @testset "slices and pieces" begin
        A = [1 2; 3 4]
        @test eachrow(A) isa RowSlices && eachcol(A) isa ColumnSlices && eachslice(A, dims = 2) == [[1, 3], [2, 4]]
        @test startswith(summary(eachrow(A)), "2-element RowSlices{Matrix{Int64}, Tuple{Base.OneTo{Int64}}")
        @test collect(eachsplit("Ma.r.ch", '.')) == ["Ma", "r", "ch"] && first(eachrsplit("a b c")) == "c"
        @test eltype(eachsplit("a")) == SubString{String}
        @test repr(CartesianIndices((2, 3))) == "CartesianIndices((2, 3))" && repr(CartesianIndices((1:2,))) == "CartesianIndices((1:2,))"
    end
    @testset "hashes of equal collections" begin
        v = [1, 2, 3]
        @test hash(v) == hash(1:3) == hash(view([0, 1, 2, 3], 2:4)) == hash(reshape([1 2 3], 3))
        @test Dict(v => 1)[1:3] == 1 && hash([1, 2]) != hash([1 2])
        @test hash(BitSet([1])) == hash(Set([1])) != hash(BitSet([17]))
    end
    @testset "numbers in printed matrices" begin
        @test repr(([1/3 1],)) == "([0.3333333333333333 1.0],)"
        @test sprint(show, "text/plain", [1/3 1]) == "1×2 Matrix{Float64}:\n 0.333333  1.0"
    end
    @testset "ranges" begin
        @test promote(0:1/3:1, 0:5) === (0:1/3:1, 0.0:1.0:5.0)
        @test convert(StepRangeLen{Float64}, 0f0:inv(3f0):1f0) === 0:1/3:1
        @test range(; stop = 6.5) === 1.0:1.0:6.0
        @test BitVector([1, 0, 1, 0]) >> 1 == [0, 1, 0, 1] && BitVector([1, 0, 1, 0]) << 1 == [0, 1, 0, 0]
        @test circshift((1, 2, 3, 4, 5), 4) == (2, 3, 4, 5, 1)
    end
    @testset "small gaps" begin
        @test 2 \ fill(1) == fill(1 / 2) && LinearAlgebra.fillstored!(LowerTriangular(ones(2, 2)), 3) == [3 0; 3 3]
        @test Base.format_bytes(1024) == "1024 bytes" && Base.format_bytes(16777216) == "16.000 MiB"
        @test float(Union{Int,Missing}[1]) isa Vector{Union{Float64,Missing}} && complex(Missing) === Missing
        @test fieldcount(NamedTuple{(:a, :b)}) == 2 && ndims(Char) == 0 && hex2bytes(b"01ab") == [0x01, 0xab]
        @test repeat([1, 2], 1, 2, 2) == cat([1 1; 2 2], [1 1; 2 2]; dims = 3)
        @test_throws MethodError float(Any)
        @test_throws BoundsError size(trues(5), 0)
    end
    @testset "exceptions" begin
        @test_throws TypeError Complex{String}
        @test message(() -> Complex{String}) == "TypeError: in Complex, in T, expected T<:Real, got Type{String}"
        @test_throws TypeError NamedTuple{1,Tuple{}}
        @test_throws BoundsError permute!([1, 2, 3], [2, -1, 1])
        @test_throws DimensionMismatch permute!([1, 2, 3], [1, 2])
        @test message(() -> cholesky([1.0 2; 2 1])) == "PosDefException: matrix is not positive definite; Factorization failed."
    end
end
