"""Run here without risk: kernels run in a process of their own, one job after the other, so that a fault or a hang costs that job only.

    view ──submit──> RunQueue (queue.py, in the server) ──JSON lines──> process.py ──> numba_kernels
"""
