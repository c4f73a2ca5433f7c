# Loops whose iterations compiled code takes side by side, branches that it computes without branching, and integers beside floats.
using Test

# Sums in the program's order, row by row: 1/1 + 1/2 + … of integers to a power of two are exact, so that any order shows.
function row_sums(A)
    n, m = size(A)
    y = zeros(n)
    for i in 1:n
        s = 0.0
        for j in 1:m
            s += A[i, j]
        end
        y[i] = s
    end
    return y
end
# Adding 1.0 to 2^53 changes nothing, 2.0 does: the order of the summands decides.
@testset "ordered sums" begin
    for n in (1, 7, 8, 9, 20)
        A = ones(n, 5)
        A[:, 2] .= 2.0^53
        A[1, 2] = 0.0
        want = fill(2.0^53, n)      # ((1 + 2^53) + 1) + 1 + 1, each rounded to the even neighbour
        want[1] = 4.0
        @test row_sums(A) == want
    end
end

# Each row needs the one before.
function running(A)
    n, m = size(A)
    y = zeros(n + 1)
    y[1] = 1.0
    for i in 1:n
        s = 0.0
        for j in 1:m
            s += A[i, j] * y[i]
        end
        y[i+1] = s
    end
    return y
end
# Rows share an element with those that follow.
function smoothed!(x, w)
    for i in 1:length(x)-2
        s = 0.0
        for j in 0:2
            s += w[j+1] * x[i+j]
        end
        x[i+1] = s
    end
    return x
end
@testset "rows that depend on each other" begin
    @test running(fill(0.5, 10, 4)) == 2.0 .^ (0:10)
    # x[i+1] = x[i] when only the first weight counts: the first value runs through.
    x = collect(1.0:20.0)
    @test smoothed!(copy(x), [1.0, 0.0, 0.0]) == [ones(19); 20.0]
    @test smoothed!(copy(x), [0.0, 1.0, 0.0]) == x
    @test smoothed!(copy(x), [0.0, 0.0, 1.0]) == [1.0; 3.0:20.0; 20.0]
end

# What stands behind && and || is looked at only where it may be.
function rises(a)
    count = 0
    for i in 0:length(a)
        count += i >= 1 && i < length(a) && a[i+1] > a[i]
    end
    return count
end
guarded(a, i) = i >= 1 && i <= length(a) && a[i] == 7
either(a, i, b) = b || a[i] == 7
function neighbours(a)
    n = length(a)
    out = similar(a)
    for i in 1:n
        before = i == 1 ? n : i - 1
        after = i == n ? 1 : i + 1
        out[i] = a[before] == 1 || (a[after] == 1 && a[i] == 0) ? 1 : 0
    end
    return out
end
@testset "guards" begin
    @test rises([1, 3, 2, 5, 6]) == 3
    @test [guarded([7, 1, 7], i) for i in -1:5] == [false, false, true, false, true, false, false]
    @test either([1, 7], 9, true) && either([1, 7], 2, false) && !either([1, 7], 1, false)
    @test_throws BoundsError either([1, 7], 3, false)
    @test neighbours([1, 0, 0, 0, 1]) == [1, 1, 0, 1, 0]
    @test neighbours([0, 0, 1]) == [1, 1, 0]
end

below(x) = (x < 3, x <= 3, x == 3, x != 3, x > 3, x >= 3)
above(x) = (3 < x, 3 <= x, 3 == x, 3 != x, 3 > x, 3 >= x)
beside_large(x) = (x < 9007199254740993, x == 9007199254740993, 9007199254740993 > x)
@testset "integers beside floats" begin
    @test below(2.5) === (true, true, false, true, false, false)
    @test below(3.0) === (false, true, true, false, false, true)
    @test below(NaN) === (false, false, false, true, false, false)
    @test above(2.5) === (false, false, false, true, true, true)
    @test above(Inf) === (true, true, false, true, false, false)
    @test beside_large(9007199254740992.0) === (true, false, true)   # 2^53 lies below 2^53 + 1, which no float is
end

blocks(a, b) = [a b; b a; a a]
@testset "blocks" begin
    @test blocks([1 2; 3 4], [5 6; 7 8]) == [1 2 5 6; 3 4 7 8; 5 6 1 2; 7 8 3 4; 1 2 1 2; 3 4 3 4]
end

low_bits(x) = (x % Int8, x % UInt16, x % UInt64, x % Bool)
@testset "lowest bits" begin
    @test low_bits(-1) === (Int8(-1), 0xffff, 0xffffffffffffffff, true)
    @test low_bits(300) === (Int8(44), 0x012c, 0x000000000000012c, false)
end

# A loop that only a return ends.
function first_power_above(x)
    p = 1
    while true
        p > x && return p
        p *= 2
    end
end
@testset "endless loops" begin
    @test first_power_above(1000) == 1024
end
