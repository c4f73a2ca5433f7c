# rand: numbers, and arrays of whatever a sampler gives.

# ---- single values

rand() = _rng_number(GLOBAL_RNG, Float64)
rand(rng::AbstractRNG) = rand(rng, Float64)
rand(rng::BuiltinRNG) = _rng_number(rng, Float64)
rand(x) = rand(GLOBAL_RNG, x)
rand(::Type{T}) where {T} = rand(GLOBAL_RNG, T)

rand(rng::AbstractRNG, x) = rand(rng, Sampler(rng, x, Val(1)))
rand(rng::AbstractRNG, x::Dims) = rand(rng, Sampler(rng, x, Val(1)))  # one of a tuple's numbers
rand(rng::AbstractRNG, ::Type{T}) where {T} = rand(rng, Sampler(rng, T, Val(1)))
rand(rng::AbstractRNG, r::AbstractUnitRange{T}) where {T<:Base.BitInteger} = _rng_between(rng, first(r), last(r))
rand(rng::BuiltinRNG, ::Type{T}) where {T<:MachineReal} = _rng_number(rng, T)
rand(rng::BuiltinRNG, ::SamplerType{T}) where {T<:MachineReal} = _rng_number(rng, T)

# A program's own generator gives rand(rng, SamplerType{UInt64}()); all else follows from it.
rand(rng::AbstractRNG, ::SamplerType{T}) where {T<:MachineReal} = _rng_number(rng, T)

rand(rng::AbstractRNG, ::SamplerType{Complex{T}}) where {T<:Real} = complex(rand(rng, T), rand(rng, T))
function rand(rng::AbstractRNG, ::SamplerType{T}) where {T<:AbstractChar}
    c = _rng_between(rng, 0x00000000, 0x0010f7ff)
    return c < 0xd800 ? T(c) : T(c + 0x800)
end

# ---- arrays

rand!(A::AbstractArray) = rand!(GLOBAL_RNG, A)
rand!(A::AbstractArray, x) = rand!(GLOBAL_RNG, A, x)
rand!(A::AbstractArray, ::Type{X}) where {X} = rand!(GLOBAL_RNG, A, X)
rand!(rng::AbstractRNG, A::AbstractArray{T}) where {T} = rand!(rng, A, T)
rand!(rng::AbstractRNG, A::AbstractArray, x) = rand!(rng, A, Sampler(rng, x))
rand!(rng::AbstractRNG, A::AbstractArray, ::Type{X}) where {X} = rand!(rng, A, Sampler(rng, X))
function rand!(rng::AbstractRNG, A::AbstractArray{T}, sp::Sampler) where {T}
    for i in eachindex(A)
        A[i] = rand(rng, sp)
    end
    return A
end
rand!(rng::AbstractRNG, A::Array{T}, ::SamplerType{T}) where {T<:MachineReal} = _rng_fill(rng, A)
rand!(rng::AbstractRNG, A::BitArray, ::SamplerType{Bool}) = _rng_fill(rng, A)
rand!(rng::AbstractRNG, A::Array{T}, sp::SamplerRange{T}) where {T<:Base.BitInteger} =
    _rng_fill_between(rng, A, sp.first, sp.last)
function rand!(rng::AbstractRNG, d::AbstractDict{K,V}, ::Type{Pair{K,V}}=Pair{K,V}) where {K,V}
    n = length(d)
    empty!(d)
    while length(d) < n
        push!(d, rand(rng, K) => rand(rng, V))
    end
    return d
end

rand(rng::AbstractRNG, x, dims::Dims) = rand!(rng, Array{gentype(x)}(undef, dims), x)
rand(rng::AbstractRNG, ::Type{X}, dims::Dims) where {X} = rand!(rng, Array{X}(undef, dims), X)
rand(rng::AbstractRNG, x, d::Integer, dims::Integer...) = rand(rng, x, Base._to_dims(d, dims...))
rand(rng::AbstractRNG, ::Type{X}, d::Integer, dims::Integer...) where {X} = rand(rng, X, Base._to_dims(d, dims...))
rand(rng::AbstractRNG, d::Integer, dims::Integer...) = rand(rng, Float64, Base._to_dims(d, dims...))
rand(x, dims::Dims) = rand(GLOBAL_RNG, x, dims)
rand(::Type{X}, dims::Dims) where {X} = rand(GLOBAL_RNG, X, dims)
rand(x, d::Integer, dims::Integer...) = rand(GLOBAL_RNG, x, Base._to_dims(d, dims...))
rand(::Type{X}, d::Integer, dims::Integer...) where {X} = rand(GLOBAL_RNG, X, Base._to_dims(d, dims...))
rand(d::Integer, dims::Integer...) = rand(GLOBAL_RNG, Float64, Base._to_dims(d, dims...))

bitrand(rng::AbstractRNG, dims::Dims) = rand!(rng, BitArray(undef, dims))
bitrand(rng::AbstractRNG, dims::Integer...) = rand!(rng, BitArray(undef, Base._to_dims(dims...)))
bitrand(dims::Dims) = bitrand(GLOBAL_RNG, dims)
bitrand(dims::Integer...) = bitrand(GLOBAL_RNG, Base._to_dims(dims...))

const _alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

randstring(rng::AbstractRNG, chars, n::Integer=8) = String(rand!(rng, Vector{Char}(undef, n), _characters(chars)))
randstring(rng::AbstractRNG) = randstring(rng, _alphanumeric, 8)
randstring(rng::AbstractRNG, n::Integer) = randstring(rng, _alphanumeric, n)
randstring(chars, n::Integer=8) = randstring(GLOBAL_RNG, chars, n)
randstring(n::Integer) = randstring(GLOBAL_RNG, _alphanumeric, n)
randstring() = randstring(GLOBAL_RNG, _alphanumeric, 8)
_characters(chars) = chars
_characters(chars::AbstractArray{UInt8}) = map(Char, chars)
