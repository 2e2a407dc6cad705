"""Unpadded: the same layout with the rows of its tiles in shared memory directly one after the other, to show what padding is for."""
from traffic_model.layout import Layout
from traffic_model.layout.blocked import BlockedLayout


class _Unpadded:
    query_stride = property(lambda self: self.block_q)
    key_stride = property(lambda self: self.block_k)
    value_stride = property(lambda self: self.value_columns)


def unpadded(layout: Layout) -> Layout | None:
    """None for a layout whose tiles have no padding."""
    if not isinstance(layout, BlockedLayout):
        return None
    return type(type(layout).__name__, (_Unpadded, type(layout)), {})(**vars(layout))
