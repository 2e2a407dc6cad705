"""A figure as SVG, PNG or PDF, drawn by a browser of the server's own."""
