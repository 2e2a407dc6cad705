"""Own GPU: a form for a GPU that the table lacks. It lasts as long as the session; its file is for --gpu-file."""
import json
import re
from dataclasses import asdict
from itertools import cycle

import streamlit as st

from traffic_model import Gpu, Refusal, all_gpus
from traffic_model.errors import sentence
from traffic_model.gpu_file import gpu_described
from traffic_model.gpus import capabilities

ASKED = dict(multiprocessors="Multiprocessors", l2_mib="L2, MiB", dram_gb="DRAM, GB", dram_gb_per_s="DRAM bandwidth, GB/s",
             fp32_tflops="float32 on CUDA cores, TFLOP/s", fp16_bf16_tflops="16 bit on tensor cores, TFLOP/s",
             boost_mhz="Boost clock, MHz", shared_bytes_per_clock="Shared memory of an SM, bytes a clock")
LABELS = {name: f"“{label}”" for name, label in ASKED.items()}
CHOSEN = "gpu"  # the key of the sidebar's list


def known() -> dict[str, Gpu]:
    """This session's own GPUs by name."""
    return st.session_state.setdefault("own_gpus", {})


def button(like: Gpu) -> None:
    """Opens the form, filled in with this GPU's figures."""
    if st.button("Own GPU…", key="own_gpu", type="tertiary", help="Give the numbers of a GPU that is not in the list."):
        _form(like)


@st.dialog("Own GPU", width="medium")
def _form(like: Gpu) -> None:
    names, (left, right) = list(capabilities()), st.columns(2)
    figures = dict(name=left.text_input("Name", max_chars=40, key="own_name"), compute_capability=right.selectbox(
        "Compute capability", names, names.index(like.compute_capability), key="own_capability"))
    for column, (name, label) in zip(cycle((left, right)), ASKED.items()):
        value = getattr(like, name)
        figures[name] = column.text_input(label, "" if value is None else f"{value:g}", max_chars=20, key=f"own_{name}")
    st.caption("Vendor's dense peaks; empty where there are no tensor cores. Limits of an SM follow the compute capability.")
    try:
        gpu = gpu_described({name: value.strip() for name, value in figures.items()}, "the form")
        if gpu.name in all_gpus():
            raise Refusal(f"{gpu.name} is in the list; give another name.")
    except Refusal as refusal:
        gpu = None
        if figures["name"]:
            st.error(sentence(_labelled(str(refusal))))
    with st.container(horizontal=True):
        if st.button("Use it", key="own_use", type="primary", disabled=gpu is None, on_click=_use, args=(gpu,)):
            st.rerun()
        st.download_button("As a file for --gpu-file", json.dumps(gpu and asdict(gpu)), "gpu.json", "application/json", on_click="ignore",
                           disabled=gpu is None)


def _labelled(text: str) -> str:
    """A refusal with the form's labels in the place of the fields' names."""
    return re.sub(r"\w+", lambda word: LABELS.get(word[0], word[0]), text)


def _use(gpu: Gpu) -> None:
    known()[gpu.name] = gpu
    st.session_state[CHOSEN] = gpu.name
