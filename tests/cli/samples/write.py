"""Writes the sample files of this folder with NumPy, ml_dtypes and JAX: python3 - FOLDER < write.py (so that no path gets into the programs).

They are kept, so that the tests need none of these; the tests state the values that stand here.
"""
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import export

folder = sys.argv[1]
matrix = np.arange(6, dtype="f4").reshape(2, 3)
np.save(f"{folder}/fortran_f32_2x3x4.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)))
np.save(f"{folder}/big_endian_c128_2x2.npy", (np.arange(4) * (1 - 2j)).astype(">c16").reshape(2, 2))
np.save(f"{folder}/big_endian_fortran_i32_2x3.npy", np.asfortranarray(np.arange(6).astype(">i4").reshape(2, 3)))
np.save(f"{folder}/bool_2x2.npy", np.array([[True, False], [False, True]]))
np.save(f"{folder}/f16_3.npy", np.array([0.5, -65504, np.inf], "f2"))
np.save(f"{folder}/bf16_3.npy", np.array([1, -2.5, 3e38], ml_dtypes.bfloat16))
np.save(f"{folder}/f8e4m3fn_3.npy", np.array([1, -448, 0.0625], ml_dtypes.float8_e4m3fn))
np.save(f"{folder}/i4_3.npy", np.array([1, -2, 7], ml_dtypes.int4))
np.save(f"{folder}/u4_3.npy", np.array([1, 2, 15], ml_dtypes.uint4))
np.save(f"{folder}/strings.npy", np.array(["a", "bcd"]))
np.save(f"{folder}/objects.npy", np.array([{}, None], object), allow_pickle=True)
np.save(f"{folder}/records.npy", np.zeros(2, [("a", "f4"), ("b", "i2")]))
for version in (1, 2, 3):
    with open(f"{folder}/version{version}_f32_2x3.npy", "wb") as file:
        np.lib.format.write_array(file, matrix, version=(version, 0))
np.savez(f"{folder}/stored.npz", matrix, matrix.T.copy())
np.savez_compressed(f"{folder}/deflated_named.npz", arg1=matrix.T.copy(), arg0=matrix)

exported = export.export(jax.jit(lambda x: x + 1))(jax.ShapeDtypeStruct((2,), jnp.float32))
with open(f"{folder}/exported.bin", "wb") as file:
    file.write(exported.serialize())
with open(f"{folder}/program.mlirbc", "wb") as file:
    file.write(exported.mlir_module_serialized)
