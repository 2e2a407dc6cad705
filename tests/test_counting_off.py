"""With counting off, counting costs nothing: the machine code is that of a text without ports. Compiled for 9.0, no GPU needed."""
import re
from dataclasses import replace
from functools import lru_cache

import offline
import pytest
import shapes

from numba_kernels import fused_ring
from numba_kernels.run import ALGORITHMS
from traffic_model import AttentionProblem, Tiling, find_gpu
from traffic_model.layout import LAYOUTS
from traffic_model.layout.fused_ring import FusedRingLayout

HEAD_DIMS = (16, 63, 64, 128, 256)


def specs(algorithm, head_dim=64, mask="full", dtype="float32"):
    problem = AttentionProblem(4096, head_dim=head_dim, heads=16, mask=mask, dtype=dtype)
    return ALGORITHMS[algorithm](problem, LAYOUTS[algorithm].resolve(problem, Tiling(), find_gpu("H200 SXM")))


KERNELS = [pytest.param(spec, id=f"{spec.launch.name}-{mask}") for mask in ("full", "causal") for name in shapes.CUDA_CORES
           for spec in specs(name, mask=mask)]
OTHER_HEADS = [pytest.param(spec, id=f"{spec.launch.name}-d{d}") for d in HEAD_DIMS if d != 64
               for name in ("tiled", "fused", "fused_kv_outer") for spec in specs(name, d)]
HALVES = [pytest.param(spec, id=f"{spec.launch.name}-{dtype}") for dtype in ("float16", "bfloat16") for name in shapes.CUDA_CORES
          for spec in specs(name, dtype=dtype)]


def ring_step(first, last):
    problem = AttentionProblem(4096, head_dim=128, heads=16)
    layout = FusedRingLayout.resolve(problem, Tiling(), find_gpu("H200 SXM"))
    return fused_ring.kernel(problem, replace(layout, first=first, last=last))


RING = [pytest.param(ring_step(False, False), id="fused_ring")]


@lru_cache
def counted(spec, counting):
    return offline.assemble(offline.ptx(*offline.counted_text(spec, counting), spec.launch))


def bare(spec):
    return offline.assemble(offline.ptx(*offline.bare_text(spec), spec.launch))


@pytest.mark.parametrize("spec", KERNELS + OTHER_HEADS + RING)
def test_off_equals_the_text_without_ports(spec):
    made = counted(spec, "off")
    assert made.opcodes.total() > 50
    assert made == bare(spec)


def test_a_whole_ring_in_one_step_is_fused():
    """Two texts that are kept in step: with the block first and last, the ring's compiles to fused's machine code."""
    assert counted(ring_step(True, True), "off") == counted(specs("fused", 128)[0], "off") != counted(ring_step(False, False), "off")


def test_a_counter_left_in_is_noticed():
    spec = specs("naive")[0]
    assert counted(spec, "requests").opcodes != bare(spec).opcodes


@pytest.mark.parametrize("spec", KERNELS + OTHER_HEADS + HALVES + RING)
def test_default_tiles_use_no_local_memory_and_no_float64(spec):
    made = counted(spec, "off")
    assert (made.stack_bytes, made.spill_bytes) == (0, 0)
    assert not [name for name in made.opcodes if name.startswith(("LDL", "STL", "DADD", "DMUL", "DFMA", "DSETP")) or "F64" in name]


def test_softmax_keeps_the_loads_of_its_three_passes():
    spec = specs("naive")[1]
    code = offline.ptx(*offline.counted_text(spec, "off"), spec.launch)
    assert len(loops_that_load(code)) >= 3


def loops_that_load(code: str) -> set[str]:
    """Labels of basic blocks with a global load that branch back to themselves."""
    blocks = re.split(r"^(\$\w+):", code, flags=re.M)[1:]
    loops = lambda label, body: re.search(rf"bra\S*\s+{re.escape(label)};", body)
    return {label for label, body in zip(blocks[::2], blocks[1::2]) if "ld.global" in body and loops(label, body)}


def test_warps_are_counted_by_votes_of_their_lanes():
    spec = specs("naive")[0]
    votes = sum(number for name, number in counted(spec, "warps").opcodes.items() if name.startswith("MATCH"))
    assert votes >= 2 * len(spec.cells) and not any(name.startswith("MATCH") for name in counted(spec, "requests").opcodes)
