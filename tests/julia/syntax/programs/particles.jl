"""
    Particles

Bodies that attract each other. A module with most ways to define things.
"""
module Particles

export Body, step!, energy, @timed_step
public kinetic

using LinearAlgebra: norm, dot as inner, ⋅
import Base: +, show, iterate
import ..Outer.Inner.@helper
using Printf, Statistics

const G = 6.674_30e-11
const SMALL, LARGE = 1f-6, 0x1p10

abstract type AbstractBody{T<:Real} end
primitive type Tag <: Integer 16 end

"A body with mass, place and speed."
mutable struct Body{T, N} <: AbstractBody{T}
    const mass::T
    "where it is"
    place::NTuple{N, T}
    speed::NTuple{N, T}
    Body{T, N}(m, p, v = ntuple(_ -> zero(T), N)) where {T, N} = new{T, N}(m, p, v)
    function Body(m::T, p::NTuple{N,T}) where {T<:Real, N}
        m > 0 || throw(ArgumentError("mass must be positive, got $m"))
        return new{T, N}(m, p, ntuple(Returns(zero(T)), N))
    end
end

struct Pair2{A,B}; first::A; second::B; end

Base.show(io::IO, b::Body{T}) where {T} = print(io, "Body{", T, "}(", b.mass, ')')
(b::Body)(t) = b.place .+ t .* b.speed
+(a::Body, b::Body) = Body(a.mass + b.mass, (a.place .+ b.place) ./ 2)

function kinetic(bodies::AbstractVector{<:Body}; half::Bool=true, rest...)::Float64
    s = 0.0
    @inbounds @simd for b in bodies
        s += b.mass * sum(abs2, b.speed)
    end
    half ? s / 2 : s
end

function energy(bodies)
    e = kinetic(bodies)
    for i in eachindex(bodies), j in i+1:lastindex(bodies)
        a, b = bodies[i], bodies[j]
        r = √(sum(@. (a.place - b.place)^2))
        r ≈ 0 && continue
        e -= G * a.mass * b.mass / r
    end
    e
end

function step!(bodies, Δt; softening=1e-9)
    local n = length(bodies)
    global STEPS += 1
    acc = [ntuple(k -> 0.0, 3) for _ = 1:n]
    i = 0
    while (i += 1) <= n
        for j in 1:n
            if i == j
                continue
            elseif bodies[j].mass == 0
                break
            else
                d = bodies[j].place .- bodies[i].place
                acc[i] = acc[i] .+ G * bodies[j].mass .* d ./ (sum(d .^ 2) + softening)^(3//2)
            end
        end
    end
    foreach(zip(bodies, acc)) do (b, a)
        b.speed = b.speed .+ Δt .* a
        b.place = b.place .+ 2Δt/2 .* b.speed
    end
    bodies
end

macro timed_step(ex, n=1)
    quote
        local t0 = time()
        for _ in 1:$(esc(n))
            $(esc(ex))
        end
        @printf("%.3f s\n", time() - t0)
    end
end

let counter = 0, limit::Int = 10
    global function tick()
        counter += 1
        counter <= limit
    end
end

STEPS = 0

baremodule Bare
    using Base
    x = 1
end

end # module
