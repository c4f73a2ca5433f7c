# Derivatives, by the names and results of Zygote. Functions are compiled whole and differentiated as programs: mutation, loops,
# branches and recursion are theirs to use.
module Zygote

using ChainRulesCore: ignore_derivatives

export gradient, pullback, withgradient, jacobian, withjacobian, hessian, hessian_reverse, diaghessian, ignore, dropgrad,
    Params, Grads, params, forwarddiff, checkpointed, hook, ignore_derivatives

_tail(t) = Base.tail(t)

# Gradients by views and ranges are arrays.
_dense(x) = x
_dense(x::Union{SubArray,AbstractRange}) = collect(x)

gradient(f, args...) = _tail(_gradient(f, map(_dense, args)...))

# Of a tuple or named tuple the first part is what is differentiated.
function withgradient(f, args...)
    all = _gradient_of_first(f, map(_dense, args)...)
    return (val = all[1], grad = _tail(all))
end

struct Pullback{F,A} <: Function
    f::F
    args::A
end
(back::Pullback)(cotangent) = _pullback_apply(back.f, cotangent, back.args...)
# Of a run that the host has recorded.
mutable struct Tape end
struct RecordedPullback <: Function
    tape::Tape
end
(back::RecordedPullback)(cotangent) = _tape_apply(back.tape, cotangent)
function pullback(f, args...)
    value, tape = _pullback(Tape, f, args...)
    return (value, tape === nothing ? Pullback(f, args) : RecordedPullback(tape))
end

jacobian(f, args...) = _jacobian(f, map(_dense, args)...)
withjacobian(f, args...) = (val = f(args...), grad = jacobian(f, args...))

hessian(f, x) = _hessian(f, x)
hessian_reverse(f, x) = _hessian(f, x)
function diaghessian(f, args...)
    length(args) == 1 || throw(ArgumentError("diaghessian of several arguments"))
    H = _hessian(f, args[1])
    return (H isa Number ? H : reshape([H[i, i] for i in 1:size(H, 1)], size(args[1])),)
end

# f' is the derivative of a function of one number.
Base.adjoint(f::Function) = x -> gradient(f, x)[1]

# An array that may be written to; copy(b) is the array, and ends the writing.
mutable struct Buffer{T,A<:AbstractArray{T}}
    data::A
    freeze::Bool
end
Buffer(xs::AbstractArray, args...) = Buffer(similar(xs, args...), false)
bufferfrom(xs::AbstractArray) = Buffer(xs, false)
_thawed(b::Buffer) = b.freeze ? error("Buffer is frozen") : b.data
Base.getindex(b::Buffer, i...) = b.data[i...]
Base.setindex!(b::Buffer, v, i...) = (setindex!(_thawed(b), v, i...); b)
Base.copyto!(b::Buffer, data) = (copyto!(_thawed(b), data); b)
Base.fill!(b::Buffer, v) = (fill!(_thawed(b), v); b)
Base.push!(b::Buffer, v) = (push!(_thawed(b), v); b)
Base.deleteat!(b::Buffer, i) = (deleteat!(_thawed(b), i); b)
Base.copy(b::Buffer) = (b.freeze = true; b.data)
Base.eltype(::Type{<:Buffer{T}}) where {T} = T
Base.length(b::Buffer) = length(b.data)
Base.ndims(b::Buffer) = ndims(b.data)
Base.size(b::Buffer, d...) = size(b.data, d...)
Base.axes(b::Buffer, d...) = axes(b.data, d...)
Base.eachindex(b::Buffer) = eachindex(b.data)
Base.firstindex(b::Buffer, d...) = firstindex(b.data, d...)
Base.lastindex(b::Buffer, d...) = lastindex(b.data, d...)
Base.stride(b::Buffer, d) = stride(b.data, d)
Base.strides(b::Buffer) = strides(b.data)
Base.collect(b::Buffer) = collect(copy(b))
Base.iterate(b::Buffer, i...) = iterate(b.data, i...)

ignore(f) = ignore_derivatives(f)
dropgrad(x) = _stop_gradient(x)

# A rule that @adjoint defines is a method of this object: AdjointOf{typeof(f)}()(x) gives f(x) and the pullback.
struct AdjointOf{F} end

# The value is calculated as it is; its derivative is taken like any other.
forwarddiff(f, x) = f(x)
checkpointed(f, xs...) = f(xs...)

# x, whose gradient is f of what it would have been.
hook(f, x) = x
(::AdjointOf{typeof(hook)})(f, x) = (x, dx -> (nothing, f(dx)))

# Implicit parameters: arrays that the function refers to.
struct Params
    params::Vector{Any}
end
Params() = Params(Any[])
Params(xs::Union{Tuple,Base.Generator}) = Params(Any[x for x in xs])
Params(xs::AbstractVector) = Params(Any[x for x in xs])
Base.length(ps::Params) = length(ps.params)
Base.iterate(ps::Params, i...) = iterate(ps.params, i...)
Base.in(x, ps::Params) = any(p -> p === x, ps.params)
Base.push!(ps::Params, xs...) = (foreach(x -> x in ps || push!(ps.params, x), xs); ps)
Base.delete!(ps::Params, x) = (filter!(p -> p !== x, ps.params); ps)
params(xs...) = push!(Params(), xs...)

struct Grads
    grads::IdDict{Any,Any}
    params::Params
end
Base.getindex(gs::Grads, x) = gs.grads[x]
Base.haskey(gs::Grads, x) = haskey(gs.grads, x)
Base.keys(gs::Grads) = keys(gs.grads)
Base.values(gs::Grads) = values(gs.grads)
Base.pairs(gs::Grads) = pairs(gs.grads)
Base.iterate(gs::Grads, i...) = iterate(gs.grads, i...)
Base.length(gs::Grads) = length(gs.grads)

function _by_params(f, ps)
    value, gradients = _gradient_params(f, ps.params)
    grads = IdDict{Any,Any}()
    for i in eachindex(ps.params)
        grads[ps.params[i]] = gradients[i]
    end
    return value, Grads(grads, ps)
end
gradient(f, ps::Params) = _by_params(f, ps)[2]
function withgradient(f, ps::Params)
    value, grads = _by_params(f, ps)
    return (val = value, grad = grads)
end

end
