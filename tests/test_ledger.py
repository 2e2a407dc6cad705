"""The ledger's arithmetic and its refusal to compare what cannot be compared."""
import pytest

from traffic_model import Array, Cell, Direction, Ledger, Measure, Space

Q_READ = Cell(Array.Q, Space.HBM, Direction.READ)
K_USE = Cell(Array.K, Space.SHARED, Direction.READ)


def requested(**cells):
    named = dict(q=Q_READ, k=K_USE)
    return Ledger.of(Measure.REQUESTED, {named[name]: value for name, value in cells.items()})


def test_equality_is_cell_by_cell():
    assert requested(q=8, k=4) == requested(k=4, q=8)
    assert requested(q=8, k=4) != requested(q=8, k=5)


def test_an_absent_cell_is_not_zero():
    assert requested(q=8) != requested(q=8, k=0)
    with pytest.raises(KeyError):
        requested(q=8)[*K_USE, Measure.REQUESTED]


def test_other_measures_do_not_compare():
    compulsory = Ledger.of(Measure.COMPULSORY, {Q_READ: 8})
    with pytest.raises(ValueError, match="one ledger states requested, the other compulsory"):
        requested(q=8) == compulsory  # noqa: B015 - the comparison is what is tested
    with pytest.raises(ValueError):
        requested(q=8) + compulsory
    assert (requested(q=8) | compulsory).only(Measure.REQUESTED) == requested(q=8)


def test_a_measure_that_is_not_held_has_no_total():
    with pytest.raises(KeyError, match="states requested, not compulsory"):
        requested(q=8).total(Measure.COMPULSORY)


def test_sum_and_totals():
    both = requested(q=8, k=4) + requested(q=1)
    assert both == requested(q=9, k=4)
    assert both.total(Measure.REQUESTED) == 13
    assert both.total(Measure.REQUESTED, space=Space.HBM) == 9
    assert both.total(Measure.REQUESTED, array=Array.K, direction=Direction.WRITE) == 0


def test_disagreements_are_in_words():
    predicted, counted = requested(q=1, k=3840), requested(k=3824)
    assert predicted.disagreements(counted) == ["K shared read requested: 3840 predicted, 3824 counted",
                                                "Q hbm read requested: 1 predicted, absent in counted"]
    assert predicted.disagreements(predicted) == []


def test_records_and_back():
    ledger = requested(q=8, k=2**40)
    assert Ledger.from_records(ledger.records(), ledger.measures) == ledger
    assert ledger.records()[0] == dict(array="q", space="hbm", direction="read", measure="requested", bytes=8)


@pytest.mark.parametrize("value", [-1, 1.5])
def test_bytes_are_whole_and_not_negative(value):
    with pytest.raises(ValueError, match="whole numbers"):
        requested(q=value)


def test_a_ledger_is_immutable_and_hashable():
    assert hash(requested(q=8)) == hash(requested(q=8))
    with pytest.raises(TypeError):
        requested(q=8)[Q_READ] = 1
