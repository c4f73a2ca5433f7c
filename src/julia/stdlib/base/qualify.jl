# The last of all: types that Base does not export print as Base.Name.
_qualify_types(@__MODULE__)
