"""The sidebar: every setting is chosen here, once, for all pages. The address carries each value, so a link is the state."""
from collections.abc import Callable

import streamlit as st

from app.charts.look import GROUNDS, SHAPES, TEXTS, Template
from app.charts.time_gpus import MOST
from app.figures.warp import first
from app.lasting import kept, lasting, offered, selected, switch, toggle
from app.race.rungs import Clock, Rung
from app.settings import LENGTHS, OPENING, Settings
from app.softmax.online import Broken
from app.softmax.rows import Scores, Size
from app.views import own_gpu
from traffic_model import TILE_SIZES, AttentionProblem, Gpu, Measure, Tiling, all_gpus, predict
from traffic_model.problem import DTYPE_BYTES, shape_words

HEAD_DIMS = (16, 32, 48, 64, 80, 96, 128, 192, 256)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
AS_HEADS = "as many as heads"
MASKS = ("full", "causal")
RING, RING_OPENS = range(2, 9), 4  # GPUs of a ring
OPENING_SHAPE = dict(d=OPENING.problem.head_dim, heads=OPENING.problem.heads, kv_heads=AS_HEADS, batch=OPENING.problem.batch,
                     mask=OPENING.problem.mask, dtype=OPENING.problem.dtype)  # {key: value} of what More settings holds
GPUS = "gpus"
UNITS = {"tensor cores": "fp16_bf16", "CUDA cores": "fp32"}  # the model's names of them


def read() -> Settings:
    """Draws the controls and returns what they say. Raises traffic_model.Refusal for a problem the kernels do not take."""
    n = _slider("Sequence length N", LENGTHS, OPENING.n, "n")
    block_q = _slider("Query tile, rows", TILE_SIZES, OPENING.tiling.block_q, "br")
    block_k = _slider("Key tile, rows", TILE_SIZES, OPENING.tiling.block_k, "bc")
    gpus = all_gpus() | own_gpu.known()
    gpu = gpus[_choice("GPU", list(gpus), OPENING.gpu.name, own_gpu.CHOSEN)]
    meter = st.container()
    shape = _more_settings(gpu)
    settings = Settings(AttentionProblem(n, **shape), Tiling(block_q, block_k), gpu)
    with meter:
        _shared_memory(settings)
    return settings


def race() -> tuple[tuple[Rung, Rung], Clock, bool]:
    """Which rungs run in the upper and the lower lane, what they run against, and whether by hand."""
    rungs = tuple(map(str, Rung))
    upper, lower = selected("Upper lane", rungs, "upper"), selected("Lower lane", rungs, "lower", Rung.FUSED)
    clock = Clock(selected("Clock", tuple(map(str, Clock)), "clock"))
    return (Rung(upper), Rung(lower)), clock, toggle("By hand: N = 8, d = 4", "hand")


def answers() -> bool:
    """Whether the worksheet shows its answers: the address is then the link to them."""
    return toggle("Show the answers", "answers")


def softmax_row() -> tuple[Size, Scores, Broken, int]:
    """Which row the Softmax page works through, how, and the seed of a real one."""
    size, scores = Size(selected("Row", tuple(map(str, Size)), "row")), Scores(selected("Scores", tuple(map(str, Scores)), "scores"))
    broken = Broken(selected("Break it", tuple(map(str, Broken)), "break"))
    seed = lasting("seed", lambda **kept: st.number_input("Seed", 0, 999, **kept), 0, value=0) if size == Size.REAL else 0
    return size, scores, broken, seed


def ring() -> tuple[int, Measure]:
    """On the Ring page: how many GPUs, and the measure of HBM."""
    gpus = int(selected("GPUs", tuple(map(str, RING)), "members", str(RING_OPENS)))
    return gpus, Measure(selected("HBM bytes", (Measure.REQUESTED, Measure.COMPULSORY), "hbm"))


def unit() -> str:
    """On the Roofline page: the unit whose roof is on show, by the model's name."""
    return UNITS[switch("Roof of", list(UNITS), "unit")]


def measure(words: tuple[str, ...]) -> str:
    """On the Traffic page: whether bytes moved or bytes held are on show."""
    return switch("Bytes", words, "bytes")


def split(words: tuple[str, ...]) -> str:
    """On the Time page: whole algorithms or single kernels."""
    return switch("Time of", words, "split")


def model() -> bool:
    """On the Time page: whether the model's times are drawn beside the recorded ones."""
    return toggle("Model", "model", help="Predicted times, their error, and what binds.")


def gpus(names: list[str]) -> None:
    """On the Time page, where runs of several GPUs can be set beside each other: whose times are drawn; none chosen is all."""
    for key in (GPUS, f"kept_{GPUS}"):  # of a file that was taken out, or of other settings
        if key in st.session_state:
            st.session_state[key] = [name for name in st.session_state[key] if name in names]
    lasting(GPUS, lambda **more: st.multiselect("GPUs", names, max_selections=1 + MOST, placeholder="All GPUs", width=300,
                                                label_visibility="collapsed", **more), [])


def chosen_gpus() -> tuple[str, ...]:
    """By name; empty for all, as where there is no choice."""
    return tuple(kept(GPUS, ()))


def tiles_view(views: tuple[str, ...]) -> str:
    """On the Tiles page: what the tiles show."""
    return switch("Show", views, "tiles")


def hidden() -> bool:
    """Whether the title, which is the answer, is kept back."""
    return toggle("Hide the title", "hide", help="Ask the room first; key h reveals it.")


def slide(figures: tuple[str, ...]) -> tuple[str, Template]:
    """On the Slides page: which figure, and how it looks."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = selected("Figure", figures, "figure")
        ground, shape = selected("Ground", GROUNDS, "ground"), selected("Shape", tuple(SHAPES), "shape")
        text = int(selected("Text, px", tuple(map(str, TEXTS)), "text"))
        title, caption = toggle("Title", "title", True), toggle("Caption", "caption", True)
    return name, Template(ground, shape, text, title, caption)


def compared(names: tuple[str, ...]) -> tuple[str, str]:
    """On the Run here page: whose points are set beside whose."""
    with st.container(horizontal=True):
        return selected("Compare", names, "one", names[-1]), selected("with", names, "other")


def dropped(key: str) -> list:
    """On the Run here page: files of saved runs."""
    return st.file_uploader("Drop in saved runs", "jsonl", accept_multiple_files=True, key=key,
                            help="A file that `python -m numba_kernels sweep` wrote, or that was saved here.")


def warp_access(options: Callable[[Rung], list[str]]) -> tuple[Rung, str]:
    """On the Warp page: a rung, and one of the accesses that `options` says it makes."""
    rung = Rung(selected("Rung", tuple(map(str, Rung)), "rung", Rung.TILED))
    there = options(rung)
    for key in ("access", "kept_access"):
        if st.session_state.get(key, there[0]) not in there:  # another rung's
            del st.session_state[key]
    return rung, selected("Access", there, "access", first(there))


def without_padding() -> bool:
    """Whether the tile in shared memory is shown as it would be without its padding. Drawn where there is any."""
    return toggle("Without padding", "bare")


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


def _more_settings(gpu: Gpu) -> dict:
    """Closed and as they open they are not drawn, which spares half of the sidebar's time at each step of a slider."""
    box, values = st.expander("More settings", key="more", on_change="rerun"), OPENING_SHAPE
    if box.open or any(key in st.query_params or st.session_state.get(key, value) != value for key, value in values.items()):
        with box:
            own_gpu.button(gpu)
            values = dict(
                d=_slider("Head size d", HEAD_DIMS, values["d"], "d"), heads=_slider("Heads", COUNTS, values["heads"], "heads"),
                kv_heads=_choice("Key/value heads", (AS_HEADS, *map(str, COUNTS)), values["kv_heads"], "kv_heads"),
                batch=_slider("Batch", COUNTS[:7], values["batch"], "batch"), mask=_choice("Mask", MASKS, values["mask"], "mask"),
                dtype=_choice("Stored as (accumulated in float32)", tuple(DTYPE_BYTES), values["dtype"], "dtype"))
    heads, kv_heads = values["heads"], values["kv_heads"]
    shape = dict(head_dim=values["d"], heads=heads, kv_heads=heads if kv_heads == AS_HEADS else int(kv_heads), batch=values["batch"],
                 mask=values["mask"], dtype=values["dtype"])
    st.caption(shape_words(shape))
    return shape


def _slider(label: str, options: list[int], value: int, key: str) -> int:
    offered(key, label, options)
    return st.select_slider(label, options, value, key=key, bind="query-params")


def _choice(label: str, options: list[str], value: str, key: str) -> str:
    offered(key, label, options)
    return st.selectbox(label, options, options.index(value), key=key, bind="query-params")


def _shared_memory(settings: Settings) -> None:
    """How much shared memory one block of the fused kernel takes. Raises Refusal where it is more than the GPU allows."""
    used = predict("fused", settings.problem, settings.tiling, settings.gpu).layout.shared_bytes
    limit = settings.gpu.shared_limit_bytes
    st.progress(used / limit, f"Shared memory: {used / 1024:.4g} of {limit / 1024:.4g} KiB per block")
