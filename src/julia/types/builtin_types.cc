// The types of Core, Base and LinearAlgebra that numeric programs meet, in the notation of type_reader.h.
namespace weft::julia {

extern const char* const kBuiltinTypes;
const char* const kBuiltinTypes = R"(
alias Int = Int64
abstract Function
alias NTuple{N,T} = Tuple{Vararg{T,N}}
struct Nothing
struct Missing
primitive Bool 8 <: Integer
primitive Int8 8 <: Signed
primitive Int16 16 <: Signed
primitive Int32 32 <: Signed
primitive Int128 128 <: Signed
abstract Unsigned <: Integer
primitive UInt8 8 <: Unsigned
primitive UInt16 16 <: Unsigned
primitive UInt32 32 <: Unsigned
primitive UInt64 64 <: Unsigned
primitive UInt128 128 <: Unsigned
alias UInt = UInt64
abstract AbstractFloat <: Real
primitive Float16 16 <: AbstractFloat
primitive Float32 32 <: AbstractFloat
primitive Float64 64 <: AbstractFloat
primitive BFloat16 16 <: AbstractFloat
alias Base.BitInteger = Union{Int128,Int16,Int32,Int64,Int8,UInt128,UInt16,UInt32,UInt64,UInt8}
alias Base.BitSigned = Union{Int128,Int16,Int32,Int64,Int8}
alias Base.BitUnsigned = Union{UInt128,UInt16,UInt32,UInt64,UInt8}
alias Base.IEEEFloat = Union{Float16,Float32,Float64}
abstract AbstractIrrational <: Real
struct Irrational{sym} <: AbstractIrrational
struct Complex{T<:Real} <: Number; re::T; im::T
alias ComplexF64 = Complex{Float64}
alias ComplexF32 = Complex{Float32}
alias ComplexF16 = Complex{Float16}
struct Rational{T<:Integer} <: Real; num::T; den::T
mutable BigInt <: Signed; opaque
mutable BigFloat <: AbstractFloat; opaque
abstract AbstractChar
primitive Char 32 <: AbstractChar
abstract AbstractString
mutable String <: AbstractString; opaque
struct SubString{T<:AbstractString} <: AbstractString; string::T; offset::Int; ncodeunits::Int
struct SubstitutionString{T<:AbstractString} <: AbstractString; string::T
abstract AbstractPattern
mutable Regex <: AbstractPattern; pattern::String
mutable DataType <: Type; opaque
mutable Core.#Union <: Type; opaque
mutable UnionAll <: Type; opaque
mutable Core.TypeofBottom <: Type; opaque
mutable TypeVar; opaque
mutable Module; opaque
mutable Method; opaque
mutable Expr; head::Symbol; args::Any
mutable LineNumberNode; line::Int; file::Any
struct QuoteNode; value
struct GlobalRef; mod::Module; name::Symbol
mutable Task; opaque
struct Val{x}
struct Some{T}; value::T
struct Colon <: Function
struct Pair{A,B}; first::A; second::B
abstract Ref{T}
mutable Base.RefValue{T} <: Ref{T}; x::T
struct Base.RefArray{T,A,R} <: Ref{T}; x::A; i::Int; roots::R
primitive Ptr{T} 64 <: Ref{T}
abstract AbstractArray{T,N}
alias AbstractVector{T} = AbstractArray{T,1}
alias AbstractMatrix{T} = AbstractArray{T,2}
alias AbstractVecOrMat{T} = Union{AbstractArray{T,1},AbstractArray{T,2}}
abstract DenseArray{T,N} <: AbstractArray{T,N}
alias DenseVector{T} = DenseArray{T,1}
alias DenseMatrix{T} = DenseArray{T,2}
mutable Array{T,N} <: DenseArray{T,N}; opaque
alias Vector{T} = Array{T,1}
alias Matrix{T} = Array{T,2}
alias VecOrMat{T} = Union{Array{T,1},Array{T,2}}
mutable Memory{T} <: DenseArray{T,1}; opaque
mutable BitArray{N} <: AbstractArray{Bool,N}; opaque
alias BitVector = BitArray{1}
alias BitMatrix = BitArray{2}
abstract AbstractRange{T} <: AbstractArray{T,1}
abstract OrdinalRange{T,S} <: AbstractRange{T}
abstract AbstractUnitRange{T} <: OrdinalRange{T,T}
struct UnitRange{T<:Real} <: AbstractUnitRange{T}; start::T; stop::T
struct StepRange{T,S} <: OrdinalRange{T,S}; start::T; step::S; stop::T
struct Base.OneTo{T<:Integer} <: AbstractUnitRange{T}; stop::T
struct Base.Slice{T<:AbstractUnitRange} <: AbstractUnitRange{Int}; indices::T
struct Base.IdentityUnitRange{T<:AbstractUnitRange} <: AbstractUnitRange{Int}; indices::T
struct Base.TwicePrecision{T}; hi::T; lo::T
struct StepRangeLen{T,R,S,L<:Integer} <: AbstractRange{T}; ref::R; step::S; len::L; offset::L
struct LinRange{T,L<:Integer} <: AbstractRange{T}; start::T; stop::T; len::L; lendiv::L
struct SubArray{T,N,P,I,L} <: AbstractArray{T,N}; parent::P; indices::I; offset1::Int; stride1::Int
struct Base.ReshapedArray{T,N,P<:AbstractArray,MI} <: AbstractArray{T,N}; parent::P; dims::NTuple{N,Int}; mi::MI
struct Base.ReinterpretArray{T,N,S,A<:AbstractArray,IsReshaped} <: AbstractArray{T,N}; parent::A
struct PermutedDimsArray{T,N,perm,iperm,AA<:AbstractArray} <: AbstractArray{T,N}; parent::AA
struct CartesianIndex{N}; I::NTuple{N,Int}
struct CartesianIndices{N,R<:NTuple{N,OrdinalRange{Int,Int}}} <: AbstractArray{CartesianIndex{N},N}; indices::R
struct LinearIndices{N,R<:NTuple{N,AbstractUnitRange{Int}}} <: AbstractArray{Int,N}; indices::R
abstract AbstractSlices{T,N} <: AbstractArray{T,N}
struct Slices{P,SM,AX,S,N} <: AbstractSlices{S,N}; parent::P; slicemap::SM; axes::AX
alias RowSlices{P<:AbstractMatrix,AX,S<:AbstractVector} = Slices{P,Tuple{Int,Colon},AX,S,1}
alias ColumnSlices{P<:AbstractMatrix,AX,S<:AbstractVector} = Slices{P,Tuple{Colon,Int},AX,S,1}
alias StridedArray{T,N} = Union{DenseArray{T,N},SubArray{T,N}}
alias StridedVector{T} = Union{DenseArray{T,1},SubArray{T,1}}
alias StridedMatrix{T} = Union{DenseArray{T,2},SubArray{T,2}}
alias StridedVecOrMat{T} = Union{DenseArray{T,1},DenseArray{T,2},SubArray{T,1},SubArray{T,2}}
abstract AbstractDict{K,V}
mutable Dict{K,V} <: AbstractDict{K,V}; opaque
mutable IdDict{K,V} <: AbstractDict{K,V}; opaque
abstract AbstractSet{T}
mutable Set{T} <: AbstractSet{T}; dict::Dict{T,Nothing}
mutable BitSet <: AbstractSet{Int}; bits::Vector{UInt64}; offset::Int
struct Base.KeySet{K,T<:AbstractDict} <: AbstractSet{K}; dict::T
struct Base.ValueIterator{T<:AbstractDict}; dict::T
struct Base.Generator{I,F}; f::F; iter::I
struct Base.Iterators.Enumerate{I}; itr::I
struct Base.Iterators.Zip{Is<:Tuple}; is::Is
struct Base.Iterators.Filter{F,I}; flt::F; itr::I
struct Base.Iterators.Reverse{T}; itr::T
struct Base.Iterators.Take{I}; xs::I; n::Int
struct Base.Iterators.Drop{I}; xs::I; n::Int
struct Base.Iterators.Flatten{I}; it::I
struct Base.Iterators.Cycle{I}; xs::I
struct Base.Iterators.ProductIterator{T<:Tuple}; iterators::T
struct Base.Iterators.PartitionIterator{T}; c::T; n::Int
struct Base.Iterators.Accumulate{F,I,T}; f::F; itr::I; init::T
struct Base.Pairs{K,V,I,A} <: AbstractDict{K,V}; data::A; itr::I
struct ComposedFunction{O,I} <: Function; outer::O; inner::I
struct Base.Fix{N,F,T} <: Function; f::F; x::T
struct Returns{V} <: Function; value::V
struct Base.Broadcast.Broadcasted{Style,Axes,F,Args<:Tuple}; style::Style; f::F; args::Args; axes::Axes
abstract IO
mutable IOBuffer <: IO; opaque
struct IOContext{IO_t<:IO} <: IO; io::IO_t; dict::Any
mutable IOStream <: IO; opaque
mutable Base.TTY <: IO; opaque
mutable Base.CompiledCode; opaque
abstract Exception
abstract Base.Ordering
struct Base.ForwardOrdering <: Base.Ordering
struct VersionNumber; major::UInt32; minor::UInt32; patch::UInt32; prerelease::Any; build::Any
struct ArgumentError <: Exception; msg
struct AssertionError <: Exception; msg
struct BoundsError <: Exception; a; i
struct DimensionMismatch <: Exception; msg
struct DivideError <: Exception
struct DomainError <: Exception; val; msg
struct EOFError <: Exception
struct ErrorException <: Exception; msg
struct FieldError <: Exception; type::DataType; field::Symbol
struct InexactError <: Exception; func::Symbol; args
struct InterruptException <: Exception
struct KeyError <: Exception; key
struct LoadError <: Exception; file::AbstractString; line::Int; error
struct MethodError <: Exception; f; args; world::UInt
struct OutOfMemoryError <: Exception
struct OverflowError <: Exception; msg
struct ReadOnlyMemoryError <: Exception
struct StackOverflowError <: Exception
struct StringIndexError <: Exception; string::AbstractString; index::Integer
struct SystemError <: Exception; prefix::AbstractString; errnum::Int32; extrainfo
struct TypeError <: Exception; func::Symbol; context::Any; expected; got
struct UndefKeywordError <: Exception; var::Symbol
struct UndefRefError <: Exception
struct UndefVarError <: Exception; var::Symbol; world::UInt; scope
struct CanonicalIndexError <: Exception; func::String; type::Any
struct MissingException <: Exception; msg
abstract AbstractRNG
mutable Xoshiro <: AbstractRNG; s0::UInt64; s1::UInt64; s2::UInt64; s3::UInt64; s4::UInt64
struct TaskLocalRNG <: AbstractRNG
mutable MersenneTwister <: AbstractRNG; opaque
struct LinearAlgebra.Adjoint{T,S} <: AbstractMatrix{T}; parent::S
struct LinearAlgebra.Transpose{T,S} <: AbstractMatrix{T}; parent::S
struct LinearAlgebra.Diagonal{T,V<:AbstractVector{T}} <: AbstractMatrix{T}; diag::V
struct LinearAlgebra.Bidiagonal{T,V<:AbstractVector{T}} <: AbstractMatrix{T}; dv::V; ev::V; uplo::Char
struct LinearAlgebra.Tridiagonal{T,V<:AbstractVector{T}} <: AbstractMatrix{T}; dl::V; d::V; du::V; du2::V
struct LinearAlgebra.SymTridiagonal{T,V<:AbstractVector{T}} <: AbstractMatrix{T}; dv::V; ev::V
struct LinearAlgebra.Symmetric{T,S<:AbstractMatrix{<:T}} <: AbstractMatrix{T}; data::S; uplo::Char
struct LinearAlgebra.Hermitian{T,S<:AbstractMatrix{<:T}} <: AbstractMatrix{T}; data::S; uplo::Char
abstract LinearAlgebra.AbstractTriangular{T} <: AbstractMatrix{T}
struct LinearAlgebra.UpperTriangular{T,S<:AbstractMatrix{T}} <: LinearAlgebra.AbstractTriangular{T}; data::S
struct LinearAlgebra.LowerTriangular{T,S<:AbstractMatrix{T}} <: LinearAlgebra.AbstractTriangular{T}; data::S
struct LinearAlgebra.UnitUpperTriangular{T,S<:AbstractMatrix{T}} <: LinearAlgebra.AbstractTriangular{T}; data::S
struct LinearAlgebra.UnitLowerTriangular{T,S<:AbstractMatrix{T}} <: LinearAlgebra.AbstractTriangular{T}; data::S
struct LinearAlgebra.UpperHessenberg{T,S<:AbstractMatrix{T}} <: AbstractMatrix{T}; data::S
struct LinearAlgebra.UniformScaling{T<:Number}; λ::T
abstract LinearAlgebra.Factorization{T}
struct LinearAlgebra.SingularException <: Exception; info::Int
struct LinearAlgebra.PosDefException <: Exception; info::Int
struct LinearAlgebra.RankDeficientException <: Exception; info::Int
)";

}  // namespace weft::julia
