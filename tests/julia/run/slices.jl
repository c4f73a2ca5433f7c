# Slices whose length is known only when the program runs: their reductions, broadcasts, assignments and errors.
using Test, LinearAlgebra

@testset "reductions of slices" begin
    prefixes(x) = [sum(x[1:i]) for i in 1:length(x)]
    @test prefixes([1, 2, 3, 4]) == [1, 3, 6, 10] && prefixes([1.5, 2.5]) == [1.5, 4.0]
    function suffixes(x)
        y = similar(x)
        for i in eachindex(x)
            y[i] = sum(@view x[i:end])
        end
        return y
    end
    @test suffixes([1.0, 2.0, 3.0]) == [6.0, 5.0, 3.0]
    function windows(x, w)
        n = length(x)
        y = zeros(n)
        for i in 1:n
            lo, hi = max(1, i - w), min(n, i + w)
            y[i] = sum(x[lo:hi]) / length(x[lo:hi])
        end
        return y
    end
    @test windows([1.0, 3.0, 5.0, 7.0], 1) == [2.0, 3.0, 5.0, 6.0]
    function extremes(A)
        out = zeros(Int, size(A, 2))
        largest = zeros(size(A, 2))
        for k in axes(A, 2)
            out[k] = argmax(abs.(A[k:end, k])) + k - 1
            largest[k] = maximum(abs.(A[k:end, k]))
        end
        return out, largest
    end
    @test extremes([1.0 9 9; -4 2 9; 3 -5 6]) == ([2, 3, 3], [4.0, 5.0, 6.0])
    function norms(A)
        out = zeros(size(A, 2))
        for k in axes(A, 2)
            out[k] = norm(A[1:k, k])
        end
        return out
    end
    @test norms([-2.0 3 2; 0 -4 3; 0 0 6]) == [2.0, 5.0, 7.0]
    @test norms([3e300 0; 0 4e300]) ≈ [3e300, 4e300] && norms([0.0 0; 0 0]) == [0.0, 0.0]
    function products(L)
        s = 0.0
        for i in axes(L, 1), j in 1:i
            s += dot(L[i, 1:j-1], L[j, 1:j-1])
        end
        return s
    end
    @test products([1.0 0 0; 2 3 0; 4 5 6]) == 4.0 + (1 * 2 + 4 * 2 - 2 * 1) + (16 + 25)
    backwards(x) = [sum(x[i:-1:1] .* x[1:i]) for i in 1:length(x)]
    @test backwards([1, 2, 3]) == [1, 4, 10]
    joined(x) = [sum([x[1:i]; 10; x[i:end]]) for i in 1:length(x)]
    @test joined([1, 2, 3]) == [17, 18, 19]
    inner(x) = [x[1:i]' * x[1:i] for i in 1:length(x)]
    @test inner([1.0, 2.0, 3.0]) == [1.0, 5.0, 14.0]
end

@testset "assignments to slices" begin
    function eliminated(A0)
        A = copy(A0)
        n = size(A, 1)
        for k in 1:n-1, i in k+1:n
            m = A[i, k] / A[k, k]
            A[i, k+1:end] -= m .* A[k, k+1:end]
            A[i, k] = m
        end
        return A
    end
    @test eliminated([2.0 1 1; 4 3 3; 8 7 9]) == [2.0 1 1; 2 1 1; 4 3 2]
    function columns(A0)
        A = copy(A0)
        n = size(A, 1)
        for k in 1:n-1
            A[k+1:n, k] ./= A[k, k]
            for j in k+1:n
                @views A[k+1:n, j] .-= A[k+1:n, k] .* A[k, j]
            end
        end
        return A
    end
    @test columns([2.0 1 1; 4 3 3; 8 7 9]) == [2.0 1 1; 2 1 1; 4 3 2]
    function pivoted(A0)
        A = copy(A0)
        n = size(A, 1)
        p = collect(1:n)
        for k in 1:n-1
            q = argmax(abs.(A[k:n, k])) + k - 1
            A[[k, q], :] = A[[q, k], :]
            p[[k, q]] = p[[q, k]]
            A[k+1:n, k] /= A[k, k]
            for j in k+1:n
                A[k+1:n, j] .-= A[k+1:n, k] .* A[k, j]
            end
        end
        return A, p
    end
    @test pivoted([1.0 2; 4 4]) == ([4.0 4; 0.25 1], [2, 1])
    function steps(x)
        y = zeros(length(x))
        for k in eachindex(x)
            y[k:-1:1] = x[1:k]
        end
        return y
    end
    @test steps([1.0, 2.0, 3.0]) == [3.0, 2.0, 1.0]
    function filled(x)
        y = copy(x)
        for k in eachindex(x)
            y[k:end] .= k
        end
        return y
    end
    @test filled([0, 0, 0]) == [1, 2, 3]
    function within(x)
        s = 0.0
        for k in 2:length(x)
            v = x[1:k]
            v[1] += 1
            v[2:end] .*= 2
            v[1:2] = [v[2], v[1]]
            v /= 2
            s += sum(v)
        end
        return s
    end
    @test within([1.0, 2.0, 3.0]) == (2 + 4) / 2 + (2 + 4 + 6) / 2
end

@testset "a slice of the array that changes" begin
    function shifted(x)
        y = copy(x)
        for k in 2:length(y)
            y[2:k] .= view(y, 1:k-1)
        end
        return y
    end
    @test shifted([1.0, 2.0, 3.0, 4.0]) == [1.0, 1.0, 1.0, 1.0]
    once(x, k) = (y = copy(x); y[2:k] .= view(y, 1:k-1); y)
    @test once([1.0, 2.0, 3.0, 4.0, 5.0], 4) == [1.0, 1.0, 2.0, 3.0, 5.0]
    function added(x)
        y = copy(x)
        for k in length(y):-1:2
            @views y[2:k] .+= y[1:k-1]
        end
        return y
    end
    @test added([1, 1, 1]) == [1, 3, 2]
end

@testset "errors of slices" begin
    beyond(x) = [sum(x[1:i+1]) for i in 1:length(x)]
    @test_throws BoundsError beyond([1.0, 2.0])
    before(x) = [sum(x[i-1:i]) for i in 1:length(x)]
    @test_throws BoundsError before([1, 2])
    function unequal(x)
        s = 0.0
        for i in 1:length(x)
            s += sum(x[1:i] .+ x[1:2])
        end
        return s
    end
    @test_throws DimensionMismatch unequal([1.0, 2.0, 3.0])
    function stored(x)
        y = copy(x)
        for i in 2:length(x)
            y[1:i] = x[1:2]
        end
        return y
    end
    @test_throws DimensionMismatch stored([1.0, 2.0, 3.0])
    function product(x)
        s = 0.0
        for i in 1:length(x)
            s += dot(x[1:i], x[1:2])
        end
        return s
    end
    @test_throws DimensionMismatch product([1.0, 2.0, 3.0])
    none(x) = [length(x[i:i-2]) for i in 5:6]
    @test none([1]) == [0, 0]
end

# Of more elements than loops are written out for.
@testset "long slices" begin
    n = 60
    L = [i >= j ? Float64(i + j) : 0.0 for i in 1:n, j in 1:n]
    function squares(L)
        out = zeros(size(L, 1))
        for i in axes(L, 1)
            out[i] = sum(abs2, @view L[i, 1:i-1]) + sum(@view L[i:end, i])
        end
        return out
    end
    @test squares(L) == [sum(j -> (i + j)^2, 1:i-1; init=0) + sum(j -> i + j, i:n) for i in 1:n]
    function forward(L, b)
        x = similar(b)
        for i in eachindex(b)
            x[i] = (b[i] - L[i, 1:i-1]' * x[1:i-1]) / L[i, i]
        end
        return x
    end
    @test forward(L, L * ones(n)) ≈ ones(n)
    function rows(A0)
        A = copy(A0)
        m = size(A, 1)
        for k in 1:m-1
            for i in k+1:m
                r = A[i, k] / A[k, k]
                A[i, k+1:end] -= r .* A[k, k+1:end]
                A[i, k] = r
            end
        end
        return A
    end
    # The product of L with ones below its diagonal and U with k in each of row k.
    U = [j >= i ? Float64(i) : 0.0 for i in 1:n, j in 1:n]
    unit = [i >= j ? 1.0 : 0.0 for i in 1:n, j in 1:n]
    @test rows(unit * U) == [j >= i ? Float64(i) : 1.0 for i in 1:n, j in 1:n]
    function factor(A)
        F = zeros(size(A))
        for j in axes(A, 2)
            F[j, j] = sqrt(A[j, j] - dot(F[j, 1:j-1], F[j, 1:j-1]))
            for i in j+1:size(A, 1)
                F[i, j] = (A[i, j] - dot(F[i, 1:j-1], F[j, 1:j-1])) / F[j, j]
            end
        end
        return F
    end
    @test factor(unit * unit') == unit
    function reflected(A0)
        A = copy(A0)
        for k in 1:size(A, 2)
            v = A[k:end, k]
            v[1] += copysign(norm(v), v[1])
            v ./= norm(v)
            for j in k:size(A, 2)
                A[k:end, j] .-= 2 * dot(v, A[k:end, j]) .* v
            end
        end
        return A
    end
    # Householder's R has the lengths of orthogonal columns on its diagonal.
    R = reflected([i == j ? 3.0 : i == j + 1 && isodd(j) ? 4.0 : i == j - 1 && isodd(i) ? -4.0 : 0.0 for i in 1:n, j in 1:n])
    @test abs.(diag(R)) ≈ fill(5.0, n) && norm(R - Diagonal(diag(R))) < 1e-12
    # Durbin's recursion: of a process of first order all but the first coefficient vanish.
    function durbin(r)
        m = length(r)
        y = zeros(m)
        y[1] = a = -r[1]
        b = 1.0
        for k in 1:m-1
            b *= 1 - a^2
            a = -(r[k+1] + dot(reverse(r[1:k]), y[1:k])) / b
            y[1:k] += a * reverse(y[1:k])
            y[k+1] = a
        end
        return y
    end
    @test durbin([0.5^k for k in 1:n]) == [k == 1 ? -0.5 : 0.0 for k in 1:n]
end
