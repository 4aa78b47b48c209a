"""The compiled exact engine: a chart over boxes and states that keeps no edges."""
