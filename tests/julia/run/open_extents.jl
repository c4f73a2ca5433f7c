# One code for arrays of all extents: many sizes of the same functions, against closed forms.
using Test

total(x) = (s = 0.0; for i in eachindex(x); s += x[i]^2; end; s)
scaled(x, a) = a .* x .+ 1
function prefix(x)
    y = zeros(length(x))
    s = 0.0
    for i in 1:length(x)
        s += x[i]
        y[i] = s
    end
    return y
end
function row_sums(A)
    m, n = size(A)
    s = zeros(m)
    for j in 1:n, i in 1:m
        s[i] += A[i, j]
    end
    return s
end
squares(n) = [i^2 for i in 1:n]
raise!(x) = (for i in eachindex(x); x[i] += 1; end; x)
both(x, y) = sum(x .* y)
beyond(x) = x[length(x)+1]
outer(x, y) = [a * b for a in x, b in y]
above(x, t) = x .> t
struct Line
    slope::Float64
    points::Vector{Float64}
end
values_of(l) = map(t -> l.slope * t, l.points)

@testset "sizes $n" for n in [0:12; 17; 64; 100; 257]
    x = collect(1.0:n)
    @test total(x) == n * (n + 1) * (2n + 1) / 6
    @test scaled(x, 2.0) == [2i + 1.0 for i in 1:n]
    @test prefix(x) == [i * (i + 1) / 2 for i in 1:n]
    @test squares(n) == map(abs2, 1:n)
    y = copy(x)
    @test raise!(y) === y && y == collect(2.0:n+1)
    @test both(x, y) == n * (n + 1) * (n + 2) / 3
    @test row_sums(reshape(collect(1.0:3n), 3, n)) == [3n * (n - 1) / 2 + k * n for k in 1:3]
    @test row_sums(reshape(collect(1.0:3n), n, 3)) == [3k + 3n for k in 1:n]
    @test above(x, n / 2) == [k > n / 2 for k in 1:n] && above(x, 0.5) isa BitVector
    @test values_of(Line(3.0, x)) == 3 .* (1:n)
    @test outer(x, [1.0, 10.0]) == [i * b for i in 1:n, b in (1, 10)]
    @test_throws BoundsError beyond(x)
    @test_throws DimensionMismatch both(ones(n + 2), ones(n + 3))
    @test both(ones(n), 5.0) == 5n
end
