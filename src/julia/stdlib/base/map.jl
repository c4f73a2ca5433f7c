# map, foreach and ntuple.

export map, map!, foreach, ntuple

map(f) = Fix1(map, f)
map(f, A::AbstractArray) = _map(f, A)
map(f, A::AbstractArray, B::AbstractArray...) = _map(f, A, B...)
map(f, itr) = collect(Generator(f, itr))
map(f, itr, itrs...) = collect(_generator_of(f, itr, itrs...))
map(f, ::AbstractDict) = error("map is not defined on dictionaries")
map(f, ::AbstractSet) = error("map is not defined on sets")
_generator_of(f, itrs...) = Generator(Splat(f), zip(itrs...))
Generator(f, itr, itrs...) = _generator_of(f, itr, itrs...)

map(f, t::Tuple) = _map_tuple(f, t)
map(f, t::Tuple, s::Tuple) = _map_tuple(f, t, s)
map(f, t::Tuple, ts::Tuple...) = _map_tuple(f, t, ts...)
map(f, t::Tuple{}, s::Tuple{}) = ()
map(f, t::NamedTuple{names}) where {names} = NamedTuple{names}(_map_tuple(f, values(t)))
function map(f, t::NamedTuple{names}, ts::NamedTuple...) where {names}
    for s in ts
        keys(s) == names || throw(ArgumentError("Named tuple names do not match."))
    end
    return NamedTuple{names}(_map_tuple(f, values(t), _map_tuple(values, ts)...))
end

map!(f, A::AbstractArray) = _map!(f, A, A)
map!(f, destination::AbstractArray, A::AbstractArray) = _map!(f, destination, A)
map!(f, destination::AbstractArray, A::AbstractArray, B::AbstractArray...) = _map!(f, destination, A, B...)
function map!(f, destination::AbstractArray, itr, itrs...)
    i = 0
    for x in zip(itr, itrs...)
        i == length(destination) && break
        i += 1
        destination[i] = f(x...)
    end
    return destination
end
function map!(f, values::ValueIterator)
    d = values.dict
    for k in keys(d)
        d[k] = f(d[k])
    end
    return values
end

foreach(f) = (f(); nothing)
function foreach(f, itr)
    for x in itr
        f(x)
    end
    return nothing
end
function foreach(f, itr, itrs...)
    for x in zip(itr, itrs...)
        f(x...)
    end
    return nothing
end

ntuple(f, n::Int) = _ntuple(f, n)
ntuple(f, n::Integer) = _ntuple(f, Int(n))
ntuple(f, ::Val{N}) where {N} = _ntuple(f, N)
