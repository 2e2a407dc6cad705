"""What holds of every prediction, whatever the shape and the tiling."""
import pytest
import shapes
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from traffic_model import AttentionProblem, Measure, Refusal, Tiling, find_gpu, predict
from traffic_model.layout import KERNELS
from traffic_model.vocabulary import Space

H200 = find_gpu("H200 SXM")
TILES = st.sampled_from([16, 32, 64, 128])


@st.composite
def problems(draw):
    kv_heads = draw(st.integers(1, 4))
    n = draw(st.integers(1, 3000))
    return AttentionProblem(n, draw(st.integers(16, 256)), kv_heads * draw(st.integers(1, 4)), draw(st.integers(1, 3)), kv_heads,
                            n + draw(st.integers(0, 500)), draw(st.sampled_from(["float32", "float16", "bfloat16"])),
                            draw(st.sampled_from(["full", "causal"])))  # as many keys as queries or more: each row sees one


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
@settings(max_examples=40, deadline=None, database=None)
@given(problem=problems(), block_q=TILES, block_k=TILES)
def test_kernels_sum_to_the_whole_and_compulsory_is_the_least(algorithm, problem, block_q, block_k):
    try:
        predicted = predict(algorithm, problem, Tiling(block_q, block_k), H200)
    except Refusal:  # a tiling that shared memory does not hold
        reject()
    assert tuple(kernel.name for kernel in predicted.kernels) == KERNELS[algorithm]
    first, *others = (kernel.ledger for kernel in predicted.kernels)
    assert predicted.ledger == sum(others, first)
    ledger = predicted.ledger
    requested, compulsory = (ledger.total(measure, space=Space.HBM) for measure in (Measure.REQUESTED, Measure.COMPULSORY))
    assert 0 < compulsory <= requested
