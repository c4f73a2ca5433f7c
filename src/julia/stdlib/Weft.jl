# Compiled functions as values. The macros @compile, @code_stablehlo and @code_hlo are lowered to calls of these.
module Weft

export @compile, @code_stablehlo, @code_hlo, pfor, vmap

struct Compiled{F} <: Function
    f::F
    code::Base.CompiledCode
end
_compiled(f, args...; options...) = Compiled(f, _compile(f, values(options), args...))
(c::Compiled)(args...; options...) = _run_compiled(c.code, c.f, values(options), args...)
Base.show(io::IO, c::Compiled) = print(io, "compiled ", _compiled_signature(c.code))
Base.show(io::IO, ::MIME"text/plain", c::Compiled) = show(io, c)

struct Code
    text::String
end
_code(f, args...; options...) = Code(_code_stablehlo(f, values(options), args...))
Base.show(io::IO, c::Code) = print(io, c.text)

# Lanes lie along the last dimension.
in_lanes(x::Array) = x
in_lanes(x::AbstractRange) = collect(x)
in_lanes(n::Integer) = collect(1:n)
in_lanes(x::Base.ColumnSlices) = in_lanes(parent(x))
in_lanes(x::Base.RowSlices) = permutedims(parent(x))
in_lanes(x::Base.Slices) = ndims(x) == 1 ? stack(x) : throw(ArgumentError("pfor runs over slices along one dimension, not $(ndims(x))"))
in_lanes(x::AbstractArray) = collect(x)
in_lanes(x) = throw(ArgumentError("pfor runs over arrays, slices, ranges and a number of lanes, not over a $(typeof(x))"))

lane(x::Array, i) = ndims(x) == 1 ? x[i] : collect(selectdim(x, ndims(x), i))

joined(results) = first(results) isa Tuple ? map((r...) -> joined(collect(r)), results...) :
    first(results) isa AbstractArray ? stack(results) : results

function pfor(f, xs...)
    isempty(xs) && throw(ArgumentError("pfor needs something to run over"))
    arrays = map(in_lanes, xs)
    n = size(arrays[1], ndims(arrays[1]))
    all(x -> size(x, ndims(x)) == n, arrays) || throw(DimensionMismatch("pfor over different numbers of lanes"))
    out = _pfor(f, arrays...)
    return out === nothing ? joined([f(map(x -> lane(x, i), arrays)...) for i in 1:n]) : out
end
vmap(f, xs...) = pfor(f, xs...)

end
