"""The race: naive and fused attention against one clock, drawn by a dependency-free script in `player/`."""
