"""The sub-commands of python -m traffic_model, one per file: its options, its table and its JSON."""
