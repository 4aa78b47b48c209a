"""The keys of the JSON object of `slp-sample --json`."""

from __future__ import annotations

KEYS = {
    "engine",
    "reason",
    "size",
    "n_rows",
    "n_features",
    "log_evidence",
    "log_evidence_error",
    "log_evidence_kind",
    "log_evidence_bounds",
    "depends_on_clock",
    "left_out",
    "notes",
    "tree_count",
    "map",
    "mean_leaves",
    "mean_leaves_error",
    "features",
    "features_error",
    "importances",
    "rules",
    "edits",
    "diagnostics",
    "interrupted",
    "out_of_memory",
    "draws",
    "seed",
    "seconds",
    "version",
}
MAP_KEYS = {
    "tree",
    "log_joint",
    "normalised",
    "log_posterior",
    "upper_bound",
    "certified",
    "n_leaves",
    "share",
}
