"""Does this machine fit the fleet, and in which mode? measure (I/O), judge (pure), show.

It works when nothing runs and with no internet: what cannot be measured is said to be unknown, not guessed.
"""
