"""The growth of modal trees in plain Python: `growth`, by the scores of `goal_scores`."""
