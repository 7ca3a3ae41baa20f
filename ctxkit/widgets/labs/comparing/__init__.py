"""The lab that compares strategies: cost, cache and what is still known, side by side.

Read in this order: `side_by_side` (the work, kept for each window), `words` (the status, and the rows of the
table), `marks`, `label_places`, `frame` and `chart` (the picture), `lab` (the three controls).
"""
