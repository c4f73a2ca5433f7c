# Derivatives of functions that are not compiled, since they catch, grow vectors or use dictionaries: by hand, or by central differences.
using Test, Zygote, LinearAlgebra, Statistics

# Dictionaries are not compiled.
const unseen = Dict{Int,Int}()
quiet() = haskey(unseen, 1)

# A derivative of f, kept from being compiled, against differences of f itself.
function agrees(f, x; h = 1e-6)
    g = gradient(y -> (quiet(); f(y)), x)[1]
    for j in eachindex(x)
        up, down = copy(x), copy(x)
        up[j] += h
        down[j] -= h
        isapprox(g[j], (f(up) - f(down)) / 2h; rtol = 1e-5, atol = 1e-7) || return false
    end
    return true
end

struct Pair2
    a::Float64
    b::Float64
end
mutable struct Sum
    v::Float64
end

@testset "derivatives by the host" begin
    @testset "what is not compiled" begin
        table = Dict("w" => 2.0)
        @test gradient(x -> x^2 * table["w"], 3.0) == (12.0,)
        function by_index(x)
            squares = Dict{Int,Float64}()
            for i in eachindex(x)
                squares[i] = x[i]^2
            end
            sum(k * v for (k, v) in squares)
        end
        @test gradient(by_index, [1.0, 2.0, 3.0]) == ([2.0, 8.0, 18.0],)
        function grown(x)
            v = Float64[]
            for a in x
                push!(v, a^2)
            end
            pop!(v)
            sum(v)
        end
        @test gradient(grown, [1.0, 2.0, 3.0]) == ([2.0, 4.0, 0.0],)
        guarded(x) = try
            x > 1 ? error("large") : x
        catch
            x^3
        end
        @test gradient(guarded, 2.0) == (12.0,) && gradient(guarded, 0.5) == (1.0,)
        named = gradient(m -> m["a"] * 2 + sum(m["b"]), Dict{String,Any}("a" => 1.0, "b" => [1.0, 2.0]))[1]
        @test named["a"] == 2.0 && named["b"] == [1.0, 1.0]
        function in_object(x)
            s = Sum(0.0)
            for i in 1:3
                s.v += x^i
            end
            string(s.v) == "" ? 0.0 : s.v
        end
        @test gradient(in_object, 2.0) == (1.0 + 4.0 + 12.0,)
        @test gradient(x -> (quiet(); 2x), 3) == (2.0,)
        @test gradient(x -> (quiet(); 1.0), 3.0) == (nothing,)
        @test withgradient(x -> (quiet(); x^2), 3.0) == (val = 9.0, grad = (6.0,))
        @test gradient((p, x) -> (quiet(); p.a^2 * x), Pair2(3.0, 4.0), 2.0) == ((a = 12.0, b = nothing), 9.0)
        @test gradient(t -> (quiet(); t[1] * t[2]), (3.0, 4.0)) == ((4.0, 3.0),)
        @test_throws ErrorException gradient(x -> (quiet(); 2 .* x), [1.0, 2.0])
    end

    @testset "what it calls" begin
        x = [0.3, 0.7, 0.2, 0.9]
        @test agrees(sum, x) && agrees(prod, x) && agrees(norm, x) && agrees(mean, x) && agrees(std, x) && agrees(median, x)
        @test agrees(maximum, x) && agrees(v -> findmax(v)[1], x) && agrees(v -> extrema(v)[2] - extrema(v)[1], x)
        @test agrees(v -> sum(sort(v) .* (1:4)), x) && agrees(v -> sum(v[sortperm(v)] .* (1:4)), x)
        @test agrees(v -> sum(cumsum(v) .^ 2) + sum(cumprod(v)), x) && agrees(v -> dot(v, v .^ 2), x)
        @test agrees(v -> sum(reshape(v, 2, 2) * reshape(v, 2, 2)), x) && agrees(v -> sum(reshape(v, 2, 2)' * v[1:2]), x)
        @test agrees(v -> (y = zeros(2); mul!(y, reshape(v, 2, 2), v[1:2]); sum(abs2, y)), x)
        @test agrees(v -> sum(abs2, vcat(v, 2v)) + sum(abs2, hcat(v, 3v)), x) && agrees(v -> sum(abs2, kron(v[1:2], v[3:4])), x)
        @test agrees(v -> sum([a^2 for a in v]) + sum(a^3 for a in v) + sum(map(sin, v)), x)
        @test agrees(v -> foldl((a, b) -> a * b + 1, v) + mapreduce(exp, +, v), x)
        @test agrees(v -> sum(filter(a -> a > 0.25, v)) + sum(v[v .> 0.25] .^ 2), x)
        @test agrees(v -> sum(exp.(v) .+ sin.(v) .* 2) + sum(v .* v'), x)
        @test agrees(v -> sum(abs2, sum(reshape(v, 2, 2), dims = 1)) + sum(maximum(reshape(v, 2, 2), dims = 1)), x)
        @test agrees(v -> sum(reverse(v) .* (1:4)) + sum(circshift(v, 1) .* (1:4)) + sum(abs2, repeat(v, 2)), x)
        @test agrees(v -> max(v[1], v[2]) * min(v[3], v[4]) + clamp(v[1], 0.4, 0.8) + hypot(v[1], v[2]) + atan(v[1], v[2]), x)
        @test agrees(v -> v[1]^v[2] + v[3]^3 + v[1]^-2 + 2.0^v[2] + muladd(v[1], v[2], v[3]), x)
        @test agrees(v -> (z = complex(v[1], v[2]); abs2(z^2) + real(exp(z)) + abs(z)), x)
        @test agrees(v -> sum(p.a * p.b for p in [Pair2(a, a^2) for a in v]), x)
        @test agrees(v -> (w = Any[]; foreach(a -> push!(w, a, "text"), v); sum(a^2 for a in w if a isa Float64)), x)
        @test agrees(v -> sum(map(a -> a * v[1], collect(1.0:200.0))) + sum(sin.(collect(1.0:200.0) .* v[2])), x)
        # Text holds constants.
        @test gradient(v -> parse(Float64, string(v)) + v^2, 3.0) == (6.0,)
    end

    @testset "what it writes to" begin
        x = [0.3, 0.7, 0.2, 0.9]
        @test agrees(v -> (y = zeros(4); y[1:2] = v[3:4]; y[3:4] .= v[1]; y[2] = 1; sum(abs2, y)), x)
        @test agrees(v -> (y = copy(v); w = view(y, 2:3); w .*= 3; sum(abs2, y)), x)
        @test agrees(v -> (y = similar(v); copyto!(y, v); y[1] *= 2; fill!(view(y, 2:2), v[1]); sum(abs2, y)), x)
        @test agrees(v -> (w = [1.0]; pushfirst!(w, v[1]); insert!(w, 2, v[2]^2); append!(w, v); deleteat!(w, 1); sum(abs2, w)), x)
        @test agrees(v -> (y = copy(v); sort!(y); sum(y .* (1:4))), x)
        @test agrees(v -> (r = Ref(0.0); foreach(a -> r[] += a^2, v); r[]), x)
        # What was written to is an ordinary array afterwards, and so are the arguments.
        kept = zeros(2)
        @test gradient(v -> (quiet(); kept[1] = v[2]^2; sum(kept)), x)[1] == [0.0, 1.4, 0.0, 0.0]
        @test kept == [0.7^2, 0.0] && sum(kept) == 0.7^2 && kept .+ 1 == [1.49, 1.0]
        @test x == [0.3, 0.7, 0.2, 0.9]
    end

    @testset "Jacobians and pullbacks" begin
        @test jacobian(v -> (quiet(); v .^ 2), [1.0, 2.0, 3.0]) == ([2.0 0 0; 0 4 0; 0 0 6],)
        value, back = pullback(v -> (quiet(); v .* v), [1.0, 2.0])
        @test value == [1.0, 4.0] && back([1.0, 1.0]) == ([2.0, 4.0],) && back([1.0, 0.0]) == ([2.0, 0.0],)
        @test gradient((W, v) -> (quiet(); sum(W * v)), [1.0 2; 3 4], [1.0, 2]) == ([1.0 2; 1 2], [4.0, 6.0])
        @test gradient(z -> (quiet(); abs2(z)), 1.0 + 2im) == (2.0 + 4.0im,)
    end
end
