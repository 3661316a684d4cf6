"""PySide6 6.12 drops a reference to None at each call on Python 3.11, and dies after some 5,000."""

import sys

from PySide6.QtCore import QObject
from PySide6.QtGui import QStandardItemModel


def test_calls_that_return_nothing_keep_the_references_to_none() -> None:
    one = QObject()
    before = sys.getrefcount(None)
    for _ in range(500):
        one.setObjectName("x")
    assert sys.getrefcount(None) > before - 50


def test_calls_that_return_a_truth_value_keep_the_references_to_it() -> None:
    model = QStandardItemModel(1, 1)
    place = model.index(0, 0)
    before = sys.getrefcount(True), sys.getrefcount(False)
    for _ in range(500):
        model.setData(place, "x")
        one_of_none = model.setData(model.index(5, 5), "x")
    assert one_of_none is False
    assert sys.getrefcount(True) > before[0] - 50
    assert sys.getrefcount(False) > before[1] - 50
