"""The compiled kernel: move generation and the searches, in numba.

The board is always seen from the side to move: `us` moves up the board, and after each
move the board is flipped. No function has a colour argument, so none can treat the two
colours differently.
"""
