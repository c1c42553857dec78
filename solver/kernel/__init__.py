"""The compiled heart: boards, moves and the mate search, in numba alone.

Everything here sees the board from the side to move. `us` always moves up the board;
making a move turns the board over for the other side. No function knows a colour, so
none can treat the two colours differently.
"""
