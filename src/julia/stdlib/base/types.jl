# What programs ask about types, fields, methods and modules.

struct MIME{mime} end

bitcast(T::Type, x) = reinterpret(T, x)

supertype(T::Type) = _supertype(T)
function supertypes(T::Type)
    S = supertype(T)
    return S === T ? (T,) : (T, supertypes(S)...)
end
subtypes(T::Type) = _subtypes(T)
subtypes(m::Module, T::Type) = _subtypes(T)
fieldnames(T::Type) = _fieldnames(T)
fieldcount(T::Type) = _fieldcount(T)
fieldcount(::Type{NamedTuple}) = throw(ArgumentError("type does not have a definite number of fields"))
fieldcount(::Type{NamedTuple{names}}) where {names} = length(names)
fieldtype(T::Type, f) = _fieldtype(T, f)
fieldtypes(T::Type) = ntuple(i -> fieldtype(T, i), fieldcount(T))
fieldname(T::Type, i::Integer) = fieldnames(T)[i]
hasfield(T::Type, f::Symbol) = _hasfield(T, f)
nfields(x) = _nfields(x)
propertynames(x) = fieldnames(typeof(x))
propertynames(x, private::Bool) = propertynames(x)
propertynames(m::Module) = names(m)
hasproperty(x, f::Symbol) = f in propertynames(x)
hasproperty(x, f) = false
isconcretetype(T) = _type_is(T, 'c')
isabstracttype(T) = _type_is(T, 'a')
isprimitivetype(T) = _type_is(T, 'p')
ismutabletype(T) = _type_is(T, 'm')
isbitstype(T) = _type_is(T, 'b')
isstructtype(T) = _type_is(T, 's')
issingletontype(T) = _type_is(T, '1')
isbits(x) = isbitstype(typeof(x))
ismutable(x) = ismutabletype(typeof(x))
isimmutable(x) = !ismutable(x)
sizeof(T::Type) = _sizeof_type(T)
sizeof(x) = _sizeof_type(typeof(x))
typejoin(Ts...) = _typejoin(Ts...)
promote_typejoin(a, b) = _promote_typejoin(a, b)
typeintersect(a, b) = _typeintersect(a, b)
nameof(x::Union{Function,Type,Module}) = _nameof(x)
parentmodule(x) = _parentmodule(x)
fullname(m::Module) = Tuple(Symbol.(split(_module_text(m), '.')))
names(m::Module; all::Bool = false, imported::Bool = false) = _module_names(m, all)
getglobal(m::Module, s::Symbol) = _getglobal(m, s)
isdefinedglobal(m::Module, s::Symbol) = isdefined(m, s)
isexported(m::Module, s::Symbol) = s in _module_names(m, false)
ispublic(m::Module, s::Symbol) = isexported(m, s)
isdispatchtuple(T) = T isa DataType && T <: Tuple && all(isconcretetype, fieldtypes(T))
function fieldindex(T::DataType, name::Symbol, err::Bool = true)
    i = findfirst(==(name), fieldnames(T))
    i === nothing && err && throw(FieldError(T, name))
    return i === nothing ? 0 : i
end
objectid(x) = _objectid(x)
unwrap_unionall(T) = T isa UnionAll ? unwrap_unionall(T.body) : T
getproperty(x::Module, s::Symbol) = _getfield(x, s)
getproperty(x, s::Symbol, order::Symbol) = getproperty(x, s)

hasmethod(f, T::Type; world = 0) = _hasmethod(f, T)
hasmethod(f, T::Type, keywords::Tuple; world = 0) = _hasmethod(f, T)
struct MethodList
    f::Any
    signatures::Vector{Any}
end
methods(f) = MethodList(f, _method_signatures(f))
methods(f, T::Type) = MethodList(f, _method_signatures(f)[1:_method_count(f, T)])
methods(f, T::Tuple) = methods(f, Tuple{T...})
length(m::MethodList) = length(m.signatures)
iterate(m::MethodList, i::Int = 1) = iterate(m.signatures, i)
getindex(m::MethodList, i::Integer) = m.signatures[i]
isempty(m::MethodList) = isempty(m.signatures)
show(io::IO, m::MethodList) = print(io, "# ", length(m), length(m) == 1 ? " method" : " methods", " for generic function \"", nameof(m.f), "\"")
invokelatest(f, args...; kw...) = f(args...; kw...)
invoke_in_world(world, f, args...; kw...) = f(args...; kw...)

Ref(x::T) where {T} = RefValue{T}(x)
Ref(x::Ref) = x
Ref{T}() where {T} = RefValue{T}()
Ref{T}(x) where {T} = RefValue{T}(convert(T, x))
RefValue(x::T) where {T} = RefValue{T}(x)
RefValue{T}() where {T} = _new(RefValue{T})
RefValue{T}(x) where {T} = _new(RefValue{T}, convert(T, x))
getindex(r::RefValue) = r.x
setindex!(r::RefValue, x) = (r.x = x; r)
eltype(::Type{<:Ref{T}}) where {T} = T
isassigned(r::RefValue) = isdefined(r, :x)
==(a::RefValue, b::RefValue) = a === b
length(::Ref) = 1
size(::Ref) = ()
axes(::Ref) = ()
ndims(::Ref) = 0
ndims(::Type{<:Ref}) = 0
iterate(r::Ref) = (r[], nothing)
iterate(r::Ref, ::Any) = nothing
isempty(::Ref) = false

Pair(a, b) = _pair(a, b)
Pair{A,B}(a, b) where {A,B} = _new(Pair{A,B}, convert(A, a), convert(B, b))
=>(a, b) = _pair(a, b)
getindex(p::Pair, i::Integer) = i == 1 ? p.first : i == 2 ? p.second : throw(BoundsError(p, i))
iterate(p::Pair, i::Int = 1) = i > 2 ? nothing : (i == 1 ? p.first : p.second, i + 1)
indexed_iterate(p::Pair, i::Int, state = 1) = (i == 1 ? p.first : i == 2 ? p.second : throw(BoundsError(p, i)), i + 1)
length(::Pair) = 2
first(p::Pair) = p.first
last(p::Pair) = p.second
lastindex(::Pair) = 2
firstindex(::Pair) = 1
eltype(::Type{Pair{A,B}}) where {A,B} = Union{A,B}
==(a::Pair, b::Pair) = (a.first == b.first) & (a.second == b.second)
isequal(a::Pair, b::Pair) = isequal(a.first, b.first) && isequal(a.second, b.second)
isless(a::Pair, b::Pair) = isequal(a.first, b.first) ? isless(a.second, b.second) : isless(a.first, b.first)
reverse(p::Pair) = Pair(p.second, p.first)
promote_rule(::Type{Pair{A,B}}, ::Type{Pair{C,D}}) where {A,B,C,D} = Pair{promote_type(A, C),promote_type(B, D)}
convert(::Type{Pair{A,B}}, p::Pair) where {A,B} = Pair{A,B}(p.first, p.second)
convert(::Type{Pair{A,B}}, p::Pair{A,B}) where {A,B} = p

abstract type Enum{T<:Integer} end
_enum(T, names, values) = (_enums[T] = (names, values); nothing)
_enum_value(T, n) = _primitive_from(T, n)
_enum_names(T) = _enums[T][1]
_enum_values(T) = _enums[T][2]
Integer(x::Enum) = _primitive_bits(x)
Int(x::Enum) = _primitive_bits(x)
(::Type{T})(x::Enum) where {T<:Integer} = T(_primitive_bits(x))
convert(::Type{T}, x::Enum) where {T<:Integer} = T(_primitive_bits(x))
function (::Type{T})(n::Integer) where {T<:Enum}
    n in _enum_values(T) || throw(ArgumentError("invalid value for Enum $(nameof(T)): $n"))
    return _primitive_from(T, n)
end
instances(T::Type{<:Enum}) = map(n -> _primitive_from(T, n), _enum_values(T))
typemin(T::Type{<:Enum}) = T(minimum(_enum_values(T)))
typemax(T::Type{<:Enum}) = T(maximum(_enum_values(T)))
isless(a::T, b::T) where {T<:Enum} = isless(Integer(a), Integer(b))
<(a::T, b::T) where {T<:Enum} = isless(Integer(a), Integer(b))
<=(a::T, b::T) where {T<:Enum} = Integer(a) <= Integer(b)
Symbol(x::Enum) = _enum_names(typeof(x))[findfirst(==(Integer(x)), _enum_values(typeof(x)))]
print(io::IO, x::Enum) = print(io, Symbol(x))
show(io::IO, x::Enum) = print(io, Symbol(x))
function show(io::IO, ::MIME{Symbol("text/plain")}, x::Enum)
    print(io, x, "::", typeof(x), " = ", Integer(x))
end
length(::Enum) = 1
iterate(x::Enum) = (x, nothing)
iterate(x::Enum, ::Nothing) = nothing

export supertype, subtypes, supertypes, fieldnames, fieldcount, fieldtype, fieldtypes, fieldname, hasfield, nfields, propertynames,
    hasproperty, isconcretetype, isabstracttype, isprimitivetype, ismutabletype, isbitstype, isstructtype, isbits, ismutable,
    isimmutable, sizeof, typejoin, typeintersect, nameof, parentmodule, fullname, names, getglobal, isdefinedglobal, isexported, ispublic, isdispatchtuple,
    objectid, hasmethod, methods, invokelatest, Ref, Pair, =>, Enum, instances
