"""Stage 5, consistency of the whole program: `contradictions` (of constraints), `measures` (of
splits), `columns` (no two roles), `unused` (declarations), `misplaced` (what may mean something
else).
"""
