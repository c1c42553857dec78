# fish reads this file when matesolve is first completed.
_MATESOLVE_COMPLETE=fish_source matesolve | source
