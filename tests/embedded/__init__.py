"""With the real embedded model: counts, structure and winners, never free text.

They run where `make embedded` has been run; elsewhere they are skipped, and in CI that is a failure.
"""
