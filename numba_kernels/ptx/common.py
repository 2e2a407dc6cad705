"""What every GPU with bf16 tensor cores understands: compute capability 8.0 and up."""
import struct

from llvmlite import ir
from numba import float32, types, uint32, uint64

from numba_kernels.device import intrinsic
from numba_kernels.ptx.assembly import I32, instruction

PTX_TYPES = {"bfloat16": "bf16", "float16": "f16"}

# 2^x, to two units in the last place; 2^−∞ is 0, and so is a result below 2^−126.
power_of_two = instruction("ex2.approx.ftz.f32 $0, $1;", float32, (float32,), pure=True)

def _polynomial(*coefficients: float) -> str:
    """PTX that leaves 1 + r·(c1 + r·(c2 + …)) in p."""
    number = lambda value: f"0f{struct.unpack('>I', struct.pack('>f', value))[0]:08X}"
    first, *others = reversed(coefficients)
    steps = [f"fma.rn.ftz.f32 p, p, r, {number(each)};" for each in (*others, 1.0)]
    return f"mov.f32 p, {number(first)}; " + " ".join(steps)


# 2^x for x ≤ 0 without the special function unit, which gives four results a clock where the other units give 32: 2^n · 2^r, n the nearest
# integer, by a polynomial (relative error 3e-6, least maximum over |r| ≤ 1/2; 2^r is 1 at r = 0), n added to the exponent. Adding
# 1.5·2^23 rounds to an integer and leaves it in the lower bits. From −127 down, −∞ included, the result is 0.
power_of_two_by_polynomial = instruction(
    "{ .reg .f32 x, t, r, p; .reg .b32 n, bits; max.f32 x, $1, 0fC2FE0000; add.rn.ftz.f32 t, x, 0f4B400000; "
    "sub.rn.ftz.f32 r, t, 0f4B400000; sub.rn.ftz.f32 r, x, r; "
    + _polynomial(0.6931242070772397, 0.24024098863742202, 0.05590630844079353, 0.00958279646248858)
    + " mov.b32 n, t; shl.b32 n, n, 23; mov.b32 bits, p; add.s32 bits, bits, n; mov.b32 $0, bits; }", float32, (float32,), pure=True)

# The larger of two.
larger = instruction("max.f32 $0, $1, $2;", float32, (float32, float32), pure=True)

# Two halves to an address in global memory: the fragment of O that a lane owns.
store_pair = instruction("st.global.b32 [$0], $1;", None, (uint64, uint32))


def pack(dtype: str):
    """Two fp32 numbers, rounded, as one register: the first in the lower half."""
    return instruction(f"cvt.rn.{PTX_TYPES[dtype]}x2.f32 $0, $2, $1;", uint32, (float32, float32), pure=True)


@intrinsic
def shared_address(typing, array):
    """Where an array in shared memory lies, as instructions on shared memory want it: 32 bits."""
    def codegen(context, builder, signature, values):
        pointer = builder.ptrtoint(context.make_array(signature.args[0])(context, builder, values[0]).data, ir.IntType(64))
        line = "{ .reg .u64 near; cvta.to.shared.u64 near, $1; cvt.u32.u64 $0, near; }"
        return builder.call(ir.InlineAsm(ir.FunctionType(I32, [ir.IntType(64)]), line, "=r,l"), [pointer])

    return types.uint32(array), codegen


@intrinsic
def global_address(typing, array):
    """Where an array in HBM lies: 64 bits."""
    def codegen(context, builder, signature, values):
        return builder.ptrtoint(context.make_array(signature.args[0])(context, builder, values[0]).data, ir.IntType(64))

    return types.uint64(array), codegen
