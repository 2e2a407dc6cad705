"""Ring attention: one sequence over several GPUs, K and V going round, drawn by the scripts in `player/`."""
