# Dictionaries: Dict and IdDict, and what holds for all AbstractDicts.

Dict() = _dict_new(Any, Any)
Dict{K,V}() where {K,V} = _dict_new(K, V)
Dict(p::Pair...) = _dict_collect(p, true)
Dict(kv) = _dict_of(kv, eltype(kv))
Dict(d::AbstractDict{K,V}) where {K,V} = Dict{K,V}(d)
_dict_of(kv, ::Type{Pair{K,V}}) where {K,V} = Dict{K,V}(kv)
_dict_of(kv, ::Type{Tuple{K,V}}) where {K,V} = Dict{K,V}(kv)
function _dict_of(kv, ::Type)
    d = _dict_collect(kv, false)
    return d === nothing ? Dict{Any,Any}() : d
end
Dict{K,V}(p::Pair...) where {K,V} = _filled!(sizehint!(Dict{K,V}(), length(p)), p)
function Dict{K,V}(kv) where {K,V}
    d = Dict{K,V}()
    (kv isa AbstractDict || kv isa AbstractArray || kv isa Tuple) && sizehint!(d, length(kv))
    return _filled!(d, kv)
end
function _filled!(d, kv)
    for x in kv
        x isa Union{Pair,Tuple{Any,Any}} ||
            throw(ArgumentError("AbstractDict(kv): kv needs to be an iterator of 2-tuples or pairs"))
        d[x[1]] = x[2]
    end
    return d
end
convert(::Type{T}, d::T) where {T<:AbstractDict} = d
convert(::Type{Dict{K,V}}, d::AbstractDict) where {K,V} = Dict{K,V}(d)
convert(::Type{Dict{K,V}}, d::Dict{K,V}) where {K,V} = d

IdDict() = _iddict_new(Any, Any)
IdDict{K,V}() where {K,V} = _iddict_new(K, V)
IdDict{K,V}(p::Pair...) where {K,V} = _filled!(IdDict{K,V}(), p)
IdDict{K,V}(kv) where {K,V} = _filled!(IdDict{K,V}(), kv)
IdDict(p::Pair{K,V}...) where {K,V} = _filled!(IdDict{K,V}(), p)
IdDict(p::Pair...) = _iddict_of(p, Any)
IdDict(kv) = _iddict_of(kv, eltype(kv))
_iddict_of(kv, ::Type{Pair{K,V}}) where {K,V} = IdDict{K,V}(kv)
_iddict_of(kv, ::Type{Tuple{K,V}}) where {K,V} = IdDict{K,V}(kv)
function _iddict_of(kv, ::Type)
    d = _dict_of(kv, Any)
    return IdDict{keytype(d),valtype(d)}(kv)
end

const _HashDict = Union{Dict,IdDict}
getindex(d::_HashDict, k) = _dict_getindex(d, k)
get(d::_HashDict, k, default) = _dict_get(d, k, default)
setindex!(d::_HashDict, v, k) = _dict_set(d, v, k)
haskey(d::_HashDict, k) = _dict_haskey(d, k)
delete!(d::_HashDict, k) = _dict_delete(d, k)
pop!(d::_HashDict, k) = _dict_pop(d, k)
pop!(d::_HashDict, k, default) = _dict_pop(d, k, default)
length(d::_HashDict) = _dict_length(d)
iterate(d::_HashDict) = _dict_iterate(d)
iterate(d::_HashDict, i::Int) = _dict_iterate(d, i)
copy(d::_HashDict) = _dict_copy(d)
empty!(d::_HashDict) = _dict_empty(d)
sizehint!(d::_HashDict, n::Integer; shrink::Bool = true) = _dict_sizehint(d, n)
empty(d::Dict{K,V}) where {K,V} = Dict{K,V}()
empty(d::IdDict{K,V}) where {K,V} = IdDict{K,V}()
empty(d::Dict, ::Type{K}, ::Type{V}) where {K,V} = Dict{K,V}()
empty(d::AbstractDict, ::Type{V}) where {V} = empty(d, keytype(d), V)
empty(d::AbstractDict, ::Type{K}, ::Type{V}) where {K,V} = Dict{K,V}()
empty(d::AbstractDict{K,V}) where {K,V} = Dict{K,V}()
isempty(d::_HashDict) = _dict_length(d) == 0
getkey(d::_HashDict, k, default) = _dict_haskey(d, k) ? _dict_getkey(d, k) : default
get(f::Function, d::_HashDict, k) = _dict_haskey(d, k) ? _dict_getindex(d, k) : f()
function get!(d::_HashDict, k, default)
    _dict_haskey(d, k) && return _dict_getindex(d, k)
    d[k] = default
    return _dict_getindex(d, k)
end
function get!(f::Function, d::_HashDict, k)
    _dict_haskey(d, k) && return _dict_getindex(d, k)
    d[k] = f()
    return _dict_getindex(d, k)
end

eltype(::Type{<:AbstractDict{K,V}}) where {K,V} = Pair{K,V}
keytype(::Type{<:AbstractDict{K,V}}) where {K,V} = K
valtype(::Type{<:AbstractDict{K,V}}) where {K,V} = V
keytype(::AbstractDict{K,V}) where {K,V} = K
valtype(::AbstractDict{K,V}) where {K,V} = V
keys(d::AbstractDict) = _new(KeySet{keytype(d),typeof(d)}, d)
values(d::AbstractDict) = _new(ValueIterator{typeof(d)}, d)
keys(d::_HashDict) = _dict_keyset(d)
values(d::_HashDict) = _dict_valueiterator(d)
pairs(d::AbstractDict) = d
haskey(d::AbstractDict, k) = get(d, k, _NotThere()) !== _NotThere()
struct _NotThere end
function getindex(d::AbstractDict, k)
    v = get(d, k, _NotThere())
    return v === _NotThere() ? throw(KeyError(k)) : v
end
get(f::Function, d::AbstractDict, k) = haskey(d, k) ? d[k] : f()
get!(d::AbstractDict, k, default) = haskey(d, k) ? d[k] : (d[k] = default)
get!(f::Function, d::AbstractDict, k) = haskey(d, k) ? d[k] : (d[k] = f())
isempty(d::AbstractDict) = length(d) == 0
first(d::AbstractDict) = iterate(d) === nothing ? throw(ArgumentError("collection must be non-empty")) : iterate(d)[1]
function in(p::Pair, d::AbstractDict)
    v = get(d, p.first, _NotThere())
    return v !== _NotThere() && v == p.second
end
in(p, d::AbstractDict) = error("AbstractDict collections only contain Pairs;\nEither look for e.g. A=>B instead, or use the `keys` or `values`\nfunction if you are looking for a key or value respectively.")
function pop!(d::AbstractDict)
    isempty(d) && throw(ArgumentError("dict must be non-empty"))
    p = first(d)
    delete!(d, p.first)
    return p
end
push!(d::AbstractDict, p::Pair) = (d[p.first] = p.second; d)
push!(d::AbstractDict, p::Pair, more::Pair...) = push!(push!(d, p), more...)
copy(d::AbstractDict) = merge!(empty(d), d)
collect(d::Dict) = _dict_pairs(d)

iterate(ks::KeySet) = _iterate_key(ks.dict, iterate(ks.dict))
iterate(ks::KeySet, state) = _iterate_key(ks.dict, iterate(ks.dict, state))
_iterate_key(d, y) = y === nothing ? nothing : (y[1].first, y[2])
iterate(ks::KeySet{K,Dict{K,V}}) where {K,V} = _dict_iterate_keys(ks.dict)
iterate(ks::KeySet{K,Dict{K,V}}, i::Int) where {K,V} = _dict_iterate_keys(ks.dict, i)
length(ks::KeySet) = length(ks.dict)
isempty(ks::KeySet) = isempty(ks.dict)
in(k, ks::KeySet) = haskey(ks.dict, k)
eltype(::Type{<:KeySet{K}}) where {K} = K
collect(ks::KeySet{K,Dict{K,V}}) where {K,V} = _dict_all_keys(ks.dict)
copy(ks::KeySet) = Set(ks)
filter(f, ks::KeySet) = filter(f, Set(ks))
iterate(vs::ValueIterator) = _iterate_value(vs.dict, iterate(vs.dict))
iterate(vs::ValueIterator, state) = _iterate_value(vs.dict, iterate(vs.dict, state))
_iterate_value(d, y) = y === nothing ? nothing : (y[1].second, y[2])
iterate(vs::ValueIterator{Dict{K,V}}) where {K,V} = _dict_iterate_values(vs.dict)
iterate(vs::ValueIterator{Dict{K,V}}, i::Int) where {K,V} = _dict_iterate_values(vs.dict, i)
length(vs::ValueIterator) = length(vs.dict)
isempty(vs::ValueIterator) = isempty(vs.dict)
eltype(::Type{ValueIterator{D}}) where {D} = valtype(D)
collect(vs::ValueIterator{Dict{K,V}}) where {K,V} = _dict_all_values(vs.dict)
function map!(f, vs::ValueIterator)
    for (k, v) in collect(vs.dict)
        vs.dict[k] = f(v)
    end
    return vs
end

function merge!(d::AbstractDict, others::AbstractDict...)
    for other in others, (k, v) in other
        d[k] = v
    end
    return d
end
function merge(d::AbstractDict, others::AbstractDict...)
    K = promote_type(keytype(d), map(keytype, others)...)
    V = promote_type(valtype(d), map(valtype, others)...)
    return merge!(empty(d, K, V), d, others...)
end
function mergewith!(f, d::AbstractDict, others::AbstractDict...)
    for other in others, (k, v) in other
        d[k] = haskey(d, k) ? f(d[k], v) : v
    end
    return d
end
mergewith!(f) = (args...) -> mergewith!(f, args...)
function mergewith(f, d::AbstractDict, others::AbstractDict...)
    K = promote_type(keytype(d), map(keytype, others)...)
    V = promote_type(valtype(d), map(valtype, others)...)
    return mergewith!(f, merge!(empty(d, K, V), d), others...)
end
mergewith(f) = (args...) -> mergewith(f, args...)
merge(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith(f, d, others...)
merge!(f::Function, d::AbstractDict, others::AbstractDict...) = mergewith!(f, d, others...)
function filter(f, d::AbstractDict)
    out = empty(d)
    for p in d
        f(p) && (out[p.first] = p.second)
    end
    return out
end
function filter!(f, d::AbstractDict)
    for p in collect(d)
        f(p) || delete!(d, p.first)
    end
    return d
end
map(f, ::AbstractDict) = error("map is not defined on dictionaries")
function replace!(f::Function, d::AbstractDict; count::Integer = typemax(Int))
    old = collect(d)
    new = [n <= count ? f(p) : p for (n, p) in enumerate(old)]
    empty!(d)
    return _filled!(d, new)
end
function ==(a::AbstractDict, b::AbstractDict)
    length(a) == length(b) || return false
    unknown = false
    for (k, v) in a
        w = get(b, k, _NotThere())
        w === _NotThere() && return false
        same = v == w
        same === missing ? (unknown = true) : same || return false
    end
    return unknown ? missing : true
end
function isequal(a::AbstractDict, b::AbstractDict)
    length(a) == length(b) || return false
    for (k, v) in a
        w = get(b, k, _NotThere())
        (w === _NotThere() || !isequal(v, w)) && return false
    end
    return true
end

const _enums = IdDict{Any,Any}()

export Dict, IdDict, AbstractDict, get, get!, getkey, haskey, delete!, keys, values, pairs, keytype, valtype, merge, merge!,
    mergewith, mergewith!, sizehint!, empty, empty!
