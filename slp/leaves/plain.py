"""Leaf models as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slp.leaves.base import LeafModel
from slp.leaves.known_shares import KnownShares
from slp.leaves.models import MODELS
from slp.leaves.of_boxes import BoxLeaves, boxes_from_plain
from slp.leaves.own import OWN, OwnModel


def leaf_to_plain(leaf: LeafModel) -> dict[str, Any]:
    """A leaf model as plain data."""
    return leaf.to_plain()


def leaf_from_plain(data: Mapping[str, Any]) -> LeafModel:
    """The leaf model that `leaf_to_plain` made the data from.

    Raises
    ------
    ValueError, or another error
        They are no leaf model.
    """
    if data["model"] == BoxLeaves.name:
        return boxes_from_plain(data, leaf_from_plain)
    if data["model"] == KnownShares.name:
        return KnownShares.from_plain(data)
    found = OwnModel if data["model"] == OWN else MODELS[data["model"]]
    return found.from_plain(data)
