# Arrays of a size known to the compiler: here, plain ones.
module StaticArrays
end
