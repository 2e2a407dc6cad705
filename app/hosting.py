"""Hosting: whether the people who open the dashboard may have kernels run on its machine.

The switch is a variable of the server's environment: a unit file, a container and a shell set it alike, nobody who visits can reach it,
and no file of the checkout changes, so an update cannot undo it. Unset or "on" kernels run; any other value, a misspelt one too, is off.
"""
import os

from traffic_model import Refusal

SWITCH = "TILESCOPE_RUN_HERE"
ON = "on"
SWITCHED_OFF = "No kernel runs on this server: its host has switched that off. On a machine of your own the same page runs them."


def runs_kernels() -> bool:
    """Whether they may."""
    return (os.environ.get(SWITCH) or ON).strip().lower() == ON


def require_kernels() -> None:
    """Raises Refusal where they may not: asked for at each place where a kernel would start, whatever a page has drawn."""
    if not runs_kernels():
        raise Refusal(SWITCHED_OFF)
