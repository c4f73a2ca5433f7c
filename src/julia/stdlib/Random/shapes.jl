# Normal and exponential numbers.

_sqrt_half(::Type{T}) where {T} = T(0.7071067811865476)

randn() = _rng_normal(GLOBAL_RNG, Float64)
randn(rng::AbstractRNG) = _rng_normal(rng, Float64)
randn(rng::AbstractRNG, ::Type{T}) where {T<:Base.IEEEFloat} = _rng_normal(rng, T)
randn(rng::AbstractRNG, ::Type{Complex{T}}) where {T<:AbstractFloat} =
    Complex{T}(_sqrt_half(T) * randn(rng, T), _sqrt_half(T) * randn(rng, T))
randn(::Type{T}) where {T} = randn(GLOBAL_RNG, T)

randn!(A::AbstractArray) = randn!(GLOBAL_RNG, A)
randn!(rng::AbstractRNG, A::Array{T}) where {T<:Base.IEEEFloat} = _rng_fill_normal(rng, A)
function randn!(rng::AbstractRNG, A::AbstractArray{T}) where {T}
    for i in eachindex(A)
        A[i] = randn(rng, T)
    end
    return A
end

randn(rng::AbstractRNG, ::Type{T}, dims::Dims) where {T} = randn!(rng, Array{T}(undef, dims))
randn(rng::AbstractRNG, ::Type{T}, d::Integer, dims::Integer...) where {T} = randn(rng, T, Base._to_dims(d, dims...))
randn(::Type{T}, dims::Dims) where {T} = randn(GLOBAL_RNG, T, dims)
randn(::Type{T}, d::Integer, dims::Integer...) where {T} = randn(GLOBAL_RNG, T, Base._to_dims(d, dims...))
randn(rng::AbstractRNG, dims::Dims) = randn(rng, Float64, dims)
randn(rng::AbstractRNG, d::Integer, dims::Integer...) = randn(rng, Float64, Base._to_dims(d, dims...))
randn(dims::Dims) = randn(GLOBAL_RNG, Float64, dims)
randn(d::Integer, dims::Integer...) = randn(GLOBAL_RNG, Float64, Base._to_dims(d, dims...))

randexp() = _rng_exponential(GLOBAL_RNG, Float64)
randexp(rng::AbstractRNG) = _rng_exponential(rng, Float64)
randexp(rng::AbstractRNG, ::Type{T}) where {T<:Base.IEEEFloat} = _rng_exponential(rng, T)
randexp(::Type{T}) where {T} = randexp(GLOBAL_RNG, T)

randexp!(A::AbstractArray) = randexp!(GLOBAL_RNG, A)
randexp!(rng::AbstractRNG, A::Array{T}) where {T<:Base.IEEEFloat} = _rng_fill_exponential(rng, A)
function randexp!(rng::AbstractRNG, A::AbstractArray{T}) where {T}
    for i in eachindex(A)
        A[i] = randexp(rng, T)
    end
    return A
end

randexp(rng::AbstractRNG, ::Type{T}, dims::Dims) where {T} = randexp!(rng, Array{T}(undef, dims))
randexp(rng::AbstractRNG, ::Type{T}, d::Integer, dims::Integer...) where {T} = randexp(rng, T, Base._to_dims(d, dims...))
randexp(::Type{T}, dims::Dims) where {T} = randexp(GLOBAL_RNG, T, dims)
randexp(::Type{T}, d::Integer, dims::Integer...) where {T} = randexp(GLOBAL_RNG, T, Base._to_dims(d, dims...))
randexp(rng::AbstractRNG, dims::Dims) = randexp(rng, Float64, dims)
randexp(rng::AbstractRNG, d::Integer, dims::Integer...) = randexp(rng, Float64, Base._to_dims(d, dims...))
randexp(dims::Dims) = randexp(GLOBAL_RNG, Float64, dims)
randexp(d::Integer, dims::Integer...) = randexp(GLOBAL_RNG, Float64, Base._to_dims(d, dims...))
