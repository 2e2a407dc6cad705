"""PTX instructions as functions that a kernel calls, each with its line and what every lane holds. GPU only.

assembly: how a line becomes a function. common: what compute capability 8.0 and up share. ampere: mma.sync, ldmatrix and cp.async.
hopper: wgmma, bulk tensor copies, mbarriers, on 9.0 alone.
"""
