"""What every GPU with bf16 tensor cores understands: compute capability 8.0 and up."""
from llvmlite import ir
from numba import float32, types, uint32, uint64

from numba_kernels.device import intrinsic
from numba_kernels.ptx.assembly import I32, instruction

PTX_TYPES = {"bfloat16": "bf16", "float16": "f16"}

# 2^x, to two units in the last place; 2^−∞ is 0, and so is a result below 2^−126.
power_of_two = instruction("ex2.approx.ftz.f32 $0, $1;", float32, (float32,), pure=True)

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
