# What a mask selects, vectors that grow, values that may be nothing, running reductions, arrays of arrays.
using Test, Statistics

@testset "indices" begin
    columns(A, idx) = A[:, idx]
    @test columns([1 2 3; 4 5 6], [3, 1]) == [3 1; 6 4] && columns([1 2 3; 4 5 6], 3:-2:1) == [3 1; 6 4]
    @test columns(zeros(2, 3), Int[]) == zeros(2, 0) && columns(zeros(0, 3), [1, 2]) == zeros(0, 2)
    block(A, i, j) = A[i, j]
    @test block([1 2 3; 4 5 6; 7 8 9], [1, 3], [2, 2]) == [2 2; 8 8] && block([1 2; 3 4], 2, [2, 1]) == [4, 3]
    @test block(reshape(1:6, 2, 3) .+ 0, [1 2; 2 1], 3) == [5 6; 6 5]
    at(A, I) = A[I]
    @test at([1 2; 3 4], CartesianIndex(2, 1)) == 3 && at([1.5], CartesianIndex(1)) == 1.5
    @test_throws BoundsError columns([1 2; 3 4], [1, 3])
    store(A, i, j, v) = (B = copy(A); B[i, j] = v; B)
    @test store([1 2; 3 4], [2, 1], 1:2, [10 20; 30 40]) == [30 40; 10 20]
    @test store([1 2; 3 4], 1, [1, 1], [7, 8]) == [8 2; 3 4]
end

@testset "masks" begin
    chosen(x, m) = x[m]
    @test chosen([1, 2, 3, 4], [true, false, true, false]) == [1, 3] && chosen([1, 2], [false, false]) == Int[]
    @test chosen([1 2; 3 4], [true false; true true]) == [1, 3, 4] && chosen(Float64[], Bool[]) == Float64[]
    @test_throws BoundsError chosen([1, 2, 3], [true, false])
    positive(x) = sum(x[x .> 0])
    @test positive([1.5, -2.0, 3.0]) == 4.5 && positive([-1.0]) === 0.0
    clipped(x) = (y = copy(x); y[y .> 2] .= 2; y)
    @test clipped([1, 5, 2, 9]) == [1, 2, 2, 2] && clipped([0 3; 4 1]) == [0 2; 2 1]
    put(x, m, v) = (y = copy(x); y[m] = v; y)
    @test put([1, 2, 3], [true, false, true], [7, 9]) == [7, 2, 9]
    @test_throws DimensionMismatch put([1, 2, 3], [true, false, true], [7, 8, 9])
    halved(x) = (y = copy(x); m = y .> 1; y[m] .= y[m] ./ 2; y)
    @test halved([1.0, 4.0, 3.0]) == [1.0, 2.0, 1.5]
    above(x, t) = mean(x[x .> t])
    @test above([1.0, 2.0, 3.0, 6.0], 2.5) == 4.5
    places(x) = findall(isodd, x)
    @test places([1, 2, 3]) == [1, 3] && places([2, 4]) == Int[] && findall([false, true]) == [2]
    odd(x) = filter(isodd, x)
    @test odd([1, 2, 3, 4, 5]) == [1, 3, 5] && odd(Int[]) == Int[]
    squares(n) = [i^2 for i in 1:n if i % 3 == 0]
    @test squares(9) == [9, 36, 81] && squares(2) == Int[]
    longest(x) = maximum(length, [x, x[x .> 1]])
    @test longest([1, 2, 3]) == 3
end

@testset "growing" begin
    multiples(n) = (v = Int[]; for i in 1:n; push!(v, 3i); end; v)
    @test multiples(4) == [3, 6, 9, 12] && multiples(0) == Int[]
    function evens(x)
        v = Int[]
        for a in x
            a % 2 == 0 && push!(v, a)
        end
        return v
    end
    @test evens([1, 2, 3, 4]) == [2, 4] && evens([1]) == Int[]
    function digits_of(n)
        v = Int[]
        while n > 0
            push!(v, n % 10)
            n = div(n, 10)
        end
        return reverse(v)
    end
    @test digits_of(9072) == [9, 0, 7, 2]
    function primes_to(n)
        found = Int[]
        for k in 2:n
            all(p -> k % p != 0, found) && push!(found, k)
        end
        return found
    end
    @test primes_to(30) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    joined(a, b) = append!(copy(a), b)
    @test joined([1, 2], [3]) == [1, 2, 3] && joined(Int[], Int[]) == Int[] && joined([1.0], [2]) == [1.0, 2.0]
    function both_ends(x)
        v = copy(x)
        pushfirst!(v, 0)
        push!(v, 9, 10)
        last = pop!(v)
        first = popfirst!(v)
        return (v, first, last)
    end
    @test both_ends([4, 5]) == ([4, 5, 9], 0, 10)
    edited(x) = (v = copy(x); insert!(v, 2, 7); deleteat!(v, 1); v)
    @test edited([1, 2, 3]) == [7, 2, 3]
    @test_throws ArgumentError pop!(Int[])
    function stack_sum(x)
        s = copy(x)
        total = 0
        while !isempty(s)
            total = 2total + pop!(s)
        end
        return total
    end
    @test stack_sum([1, 2, 3]) == 17 && stack_sum(Int[]) == 0
    function nested(n)
        v = Int[]
        for i in 1:n, j in 1:i
            push!(v, 10i + j)
        end
        return v
    end
    @test nested(3) == [11, 21, 22, 31, 32, 33]
    function to_seven(x)
        v = Int[]
        for a in x
            a == 7 && break
            push!(v, a)
        end
        return v
    end
    @test to_seven([1, 7, 2]) == [1] && to_seven([7]) == Int[] && to_seven([3, 4]) == [3, 4]
    doubled(n) = (v = Float64[]; for i in 1:n; push!(v, i); end; v .* 2)
    @test doubled(3) == [2.0, 4.0, 6.0]
end

@testset "values that may be nothing" begin
    @test findfirst(iseven, [1, 4, 6]) == 2 && findfirst(iseven, [1, 3]) === nothing
    @test findlast(iseven, [1, 4, 6]) == 3 && findnext(isodd, [1, 2, 3], 2) == 3 && findprev(isodd, [1, 2, 3], 2) == 1
    place(x) = (k = findfirst(==(0), x); k === nothing ? -1 : k)
    @test place([3, 0]) == 2 && place(Int[]) == -1
    function total(itr)
        s = 0
        next = iterate(itr)
        while next !== nothing
            (x, state) = next
            s += x
            next = iterate(itr, state)
        end
        return s
    end
    @test total([1, 2, 3]) == 6 && total(1:0) == 0 && total((1, 2)) == 3 && total(Int[]) == 0
    upto(x) = something(findfirst(>(2), x), length(x) + 1) - 1
    @test upto([1, 2, 3]) == 2 && upto([1]) == 1
    function last_negative(x)
        found = nothing
        for (i, a) in enumerate(x)
            if a < 0
                found = i
            end
        end
        return found
    end
    @test last_negative([1, -1, 2, -3]) == 4 && last_negative([1]) === nothing
    @test argmax(x -> -x^2, -2:2) == 0 && isnothing(findfirst(isnan, [1.0]))
end

@testset "along dimensions" begin
    running(A, d) = cumsum(A; dims = d)
    @test running([1 2; 3 4], 1) == [1 2; 4 6] && running([1 2; 3 4], 2) == [1 3; 3 7] && running([1 2], 3) == [1 2]
    @test accumulate(max, [1 0; 0 1]; dims = 2) == [1 1; 0 1] && accumulate(+, [1 2; 3 4]) == [1 6; 4 10]
    @test cumprod([1 2; 3 4]; dims = 2) == [1 2; 3 12] && accumulate(+, [1, 2]; init = 10) == [11, 13]
    folded(A) = reduce((a, b) -> 2a + b, A; dims = 1, init = 0)
    @test folded([1 2; 3 4]) == [5 8]
    @test sum(zeros(0, 2); dims = 1) == [0.0 0.0] && prod(zeros(0, 2); dims = 1) == [1.0 1.0]
    @test maximum(zeros(0, 2); dims = 1, init = -1.0) == [-1.0 -1.0] && sum(zeros(2, 0); dims = 1) == zeros(1, 0)
    @test mean([1 2; 3 4]; dims = 2) == reshape([1.5, 3.5], 2, 1) && mean([1.0 2.0; 3.0 4.0]; dims = (1, 2)) == fill(2.5, 1, 1)
    @test extrema([1 5; 3 2]; dims = 1) == [(1, 3) (2, 5)]
end

@testset "sets and order" begin
    @test union([1, 2, 3], [4, 3, 4]) == [1, 2, 3, 4] && intersect([1, 2, 3], [4, 3, 4]) == [3]
    @test setdiff([1, 2, 3, 2], [3]) == [1, 2] && symdiff([1, 2, 3], [4, 3, 4]) == [1, 2, 4]
    @test unique([3, 1, 3, 2, 1]) == [3, 1, 2] && unique(x -> x % 2, [1, 2, 3, 4]) == [1, 2] && unique(Int[]) == Int[]
    @test allunique([1, 2, 3]) && !allunique([0.0, NaN, NaN]) && allunique([0.0, -0.0]) && !allunique((1, 2, 1))
    @test sortperm([3, 1, 2]) == [2, 3, 1] && sortperm([3.0, 1.0, 2.0]; rev = true) == [1, 3, 2]
    @test sort([3, -5, 2]; by = abs) == [2, 3, -5] && sortperm([1, 1, 0]) == [3, 1, 2] && sortperm(Int[]) == Int[]
    @test isperm((2, 1)) && !isperm((2, 2)) && issorted([1, 2, 2]) && !issorted([2, 1])
end

@testset "arrays of arrays" begin
    lengths(v) = map(length, [v, [1, 2], Int[]])
    @test lengths([1]) == [1, 2, 0]
    rows(A) = [sum(r) for r in eachrow(A)]
    @test rows([1 2; 3 4]) == [3, 7]
    pieces(a, b) = (v = [a, b]; v[1][1] = 9; (v[1], length(v), sum(v[2])))
    @test pieces([1, 2], [3]) == ([9, 2], 2, 3)
    blocks(A, b) = [A b; b' 1]
    @test blocks([1 2; 3 4], [5, 6]) == [1 2 5; 3 4 6; 5 6 1]
    outer(n) = [[i * j for j in 1:n] for i in 1:n]
    @test outer(2) == [[1, 2], [2, 4]]
    @test map(.+, [[1, 2], [3, 4]], [5, 6]) == [[6, 7], [9, 10]] && vcat() == Any[]
    spread(x) = max(x...)
    @test spread([3, 9, 4]) == 9
end

# Reductions of what a filter takes begin with the first of it.
positive(xs) = sum(x for x in xs if x > 0)
off_diagonal(A) = sum(A[i, j]^2 for i in axes(A, 1), j in axes(A, 2) if i != j)
odd_product(n) = prod(k for k in 1:n if isodd(k))
multiples(n) = sum(k for k in 1:n-1 if k % 3 == 0 || k % 5 == 0)
largest_below(xs) = maximum(abs(x) for x in xs if x < 0)
taken_away(xs) = foldl(-, (x for x in xs if x > 1))
how_many(xs) = sum(x > 1 for x in xs if x > 0)
zeros_of(xs) = sum(x for x in xs if x == 0)

@testset "reductions of filtered elements" begin
    @test positive([1, -2, 3]) === 4 && positive([1.5, -2.0]) === 1.5 && positive(Float32[-1, 2]) === 2.0f0
    @test positive(Int8[100, 100, -1]) === 200
    @test off_diagonal([1.0 2; 3 4]) == 13
    @test odd_product(7) == 105 && multiples(1000) == 233168
    @test largest_below([1.0, -2, -7]) == 7 && taken_away([1, 5, 2, 3]) == 0 && how_many([1, 2, 3, -1]) === 2
    @test zeros_of([1.0, -0.0]) === -0.0
    @test_throws ArgumentError positive([-1])
    @test_throws ArgumentError largest_below([1.0])
end
