"""The sidebar: every setting is chosen here, once, for all pages. The address carries each value, so a link is the state."""
from collections.abc import Callable

import streamlit as st

from app.race.rungs import Clock, Rung
from app.settings import LENGTHS, Settings, shape_words
from app.softmax.online import Broken
from app.softmax.rows import Scores, Size
from traffic_model import DEFAULT_GPU, TILE_SIZES, AttentionProblem, Tiling, all_gpus, find_gpu, predict
from traffic_model.problem import DTYPE_BYTES

HEAD_DIMS = (16, 32, 48, 64, 80, 96, 128, 192, 256)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
AS_HEADS = "as many as heads"
OPENING = ("K shared write", "K hbm read")  # on the Warp page, the first that the rung makes
UNITS = {"tensor cores": "fp16_bf16", "CUDA cores": "fp32"}  # the model's names of them


def read() -> Settings:
    """Draws the controls and returns what they say. Raises traffic_model.Refusal for a problem the kernels do not take."""
    n = st.select_slider("Sequence length N", LENGTHS, 4096, key="n", bind="query-params")
    block_q = st.select_slider("Query tile, rows", TILE_SIZES, 64, key="br", bind="query-params")
    block_k = st.select_slider("Key tile, rows", TILE_SIZES, 64, key="bc", bind="query-params")
    gpus = list(all_gpus())
    gpu = find_gpu(st.selectbox("GPU", gpus, gpus.index(DEFAULT_GPU), key="gpu", bind="query-params"))
    meter = st.container()
    shape = _more_settings()
    settings = Settings(AttentionProblem(n, **shape), Tiling(block_q, block_k), gpu)
    with meter:
        _shared_memory(settings)
    return settings


def race() -> tuple[tuple[Rung, Rung], Clock, bool]:
    """Which rungs run in the upper and the lower lane, what they run against, and whether by hand."""
    rungs = tuple(map(str, Rung))
    upper, lower = _selected("Upper lane", rungs, "upper"), _selected("Lower lane", rungs, "lower", Rung.FUSED)
    clock = Clock(_selected("Clock", tuple(map(str, Clock)), "clock"))
    return (Rung(upper), Rung(lower)), clock, _lasting("hand", lambda **kept: st.toggle("By hand: N = 8, d = 4", **kept))


def answers() -> bool:
    """Whether the worksheet shows its answers: the address is then the link to them."""
    return _lasting("answers", lambda **kept: st.toggle("Show the answers", **kept))


def softmax_row() -> tuple[Size, Scores, Broken, int]:
    """Which row the Softmax page works through, how, and the seed of a real one."""
    size, scores = Size(_selected("Row", tuple(map(str, Size)), "row")), Scores(_selected("Scores", tuple(map(str, Scores)), "scores"))
    broken = Broken(_selected("Break it", tuple(map(str, Broken)), "break"))
    return size, scores, broken, _lasting("seed", lambda **kept: st.number_input("Seed", 0, 999, **kept)) if size == Size.REAL else 0


def _selected(label: str, options: tuple[str, ...], key: str, default: str | None = None) -> str:
    index = {} if key in st.session_state or f"kept_{key}" in st.session_state else dict(index=options.index(default or options[0]))
    return _lasting(key, lambda **kept: st.selectbox(label, options, **index, **kept))


def _lasting(key: str, draw):
    """A control of one page: Streamlit forgets it where it is not drawn, so its value is kept beside it. A link comes first."""
    kept = f"kept_{key}"
    if key not in st.session_state and key not in st.query_params and kept in st.session_state:
        st.session_state[key] = st.session_state[kept]
    st.session_state[kept] = draw(key=key, bind="query-params")
    return st.session_state[kept]


def unit() -> str:
    """On the Roofline page: the unit whose roof is on show, by the model's name."""
    chosen = st.segmented_control("Roof of", list(UNITS), default="tensor cores", key="unit", bind="query-params", required=True,
                                  label_visibility="collapsed")
    return UNITS[chosen]


def model() -> bool:
    """On the Time page: whether the model's times are drawn beside the recorded ones."""
    return st.toggle("Model", key="model", bind="query-params", help="Predicted times, their error, and what binds.")


def tiles_view(views: tuple[str, ...]) -> str:
    """On the Tiles page: what the tiles show."""
    return st.segmented_control("Show", views, default=views[0], key="tiles", bind="query-params", required=True,
                                label_visibility="collapsed")


def warp_access(options: Callable[[Rung], list[str]]) -> tuple[Rung, str]:
    """On the Warp page: a rung, and one of the accesses that `options` says it makes."""
    rung = Rung(_selected("Rung", tuple(map(str, Rung)), "rung", Rung.TILED))
    there = tuple(options(rung))
    for key in ("access", "kept_access"):
        if st.session_state.get(key, there[0]) not in there:  # another rung's
            del st.session_state[key]
    return rung, _selected("Access", there, "access", next((each for each in OPENING if each in there), there[0]))


def without_padding() -> bool:
    """Whether the tile in shared memory is shown as it would be without its padding. Drawn where there is any."""
    return _lasting("bare", lambda **kept: st.toggle("Without padding", **kept))


def warp_kind(kinds: int) -> int:
    """Which of the kinds of that access, the most frequent being 1."""
    if kinds == 1:
        return 1
    return st.number_input(f"Kind, 1 to {kinds:,} by frequency", 1, kinds, key="warp_kind")


def proof_shape(shapes: tuple[str, ...]) -> str:
    """On the Proof page: which of the validated problems the tables show."""
    return st.selectbox("Tables of", shapes, key="shape", bind="query-params", label_visibility="collapsed")


def set_one_head() -> None:
    """For a button's callback: one head of one sequence."""
    st.session_state.update(heads=1, kv_heads=AS_HEADS, batch=1)


def _more_settings() -> dict:
    with st.expander("More settings"):
        head_dim = st.select_slider("Head size d", HEAD_DIMS, 64, key="d", bind="query-params")
        heads = st.select_slider("Heads", COUNTS, 16, key="heads", bind="query-params")
        kv_heads = st.selectbox("Key/value heads", (AS_HEADS, *map(str, COUNTS)), key="kv_heads", bind="query-params")
        batch = st.select_slider("Batch", COUNTS[:7], 1, key="batch", bind="query-params")
        mask = st.selectbox("Mask", ("full", "causal"), key="mask", bind="query-params")
        dtypes = tuple(DTYPE_BYTES)
        dtype = st.selectbox("Stored as (accumulated in float32)", dtypes, dtypes.index("float16"), key="dtype", bind="query-params")
    shape = dict(head_dim=head_dim, heads=heads, kv_heads=heads if kv_heads == AS_HEADS else int(kv_heads), batch=batch, mask=mask,
                 dtype=dtype)
    st.caption(shape_words(shape))
    return shape


def _shared_memory(settings: Settings) -> None:
    """How much shared memory one block of the fused kernel takes. Raises Refusal where it is more than the GPU allows."""
    used = predict("fused", settings.problem, settings.tiling, settings.gpu).layout.shared_bytes
    limit = settings.gpu.shared_limit_bytes
    st.progress(used / limit, f"Shared memory: {used / 1024:.4g} of {limit / 1024:.4g} KiB per block")
