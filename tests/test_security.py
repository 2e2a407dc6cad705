"""The dashboard as it ships: who reaches it, how much they may send, and that nothing they send is executed."""
import ast
import tomllib
from pathlib import Path

import pytest

from app.player import standalone

ROOT = Path(__file__).parent.parent
MODULES = [path for room in ("traffic_model", "numba_kernels", "app") for path in sorted((ROOT / room).rglob("*.py"))]
GENERATED = {"numba_kernels/cpu/compile.py"}  # it runs the source that the backend wrote from our own kernels
EXECUTES = {"eval", "exec", "compile", "__import__"}
UNPICKLES = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}


def executed(source: str) -> list[str]:
    """What in a module could run text that it was given: eval and its like, unpickling, a shell."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXECUTES:
            found.append(node.func.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in {
                ("os", "system"), ("os", "popen")}:
            found.append(f"os.{node.attr}")
        elif isinstance(node, ast.keyword) and node.arg in ("shell", "allow_pickle"):
            found.append(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            found += sorted(UNPICKLES & {name.split(".")[0] for name in names})
    return found


def test_nothing_that_comes_in_is_executed():
    found = {str(path.relative_to(ROOT)): executed(path.read_text()) for path in MODULES}
    assert {name for name, words in found.items() if words} == GENERATED


@pytest.mark.parametrize("source", ["eval(text)", "exec(text)", "import pickle", "from pickle import loads", "os.system(text)",
                                    "subprocess.run(text, shell=True)", "np.load(file, allow_pickle=True)"])
def test_what_would_execute_it_is_noticed(source):
    assert executed(source)


def test_the_shipped_server_listens_here_alone_and_takes_little():
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]
    assert server["address"] == "127.0.0.1" and server["enableXsrfProtection"] is True and server["maxUploadSize"] <= 20


def test_what_a_page_says_cannot_end_its_script_or_its_title():
    hostile = "</script></title><script>alert(1)</script>"
    page = standalone.html("", dict(gpu=hostile), hostile)
    assert page.count("<script") == page.count("</script>") == page.count("</title>") == 1 and "alert(1)" in page
