"""Pages: each module has `show(settings)`, which arranges what other modules computed."""
