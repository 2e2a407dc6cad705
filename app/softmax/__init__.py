"""The softmax of one query row, tile by tile: computed here in fp32 as the kernels do it, drawn by the scripts in `player/`."""
