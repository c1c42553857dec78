"""numba compiled the kernel for the intended types and no others."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

import solver.kernel
from solver.kernel.border.interface import KernelError
from solver.kernel.build.compiler import Typing
from solver.kernel.build.jit import jit, native
from solver.kernel.build.words import Bitboard, Number, i64
from tests.kernel import linked

KERNEL = Path(solver.kernel.__path__[0])
MODULES = [
    ".".join(path.relative_to(KERNEL.parents[1]).with_suffix("").parts)
    for path in sorted(KERNEL.rglob("*.py"))
    if path.stem != "__init__"
]


def compiled_functions(module: str) -> dict[str, Dispatcher]:
    """Return the functions that a module defines for numba, by their names."""
    # The functions of the border to Python; the rest of the folder is compiled.
    import_module("solver.kernel.mate.entry")
    return {
        name: function
        for name, function in vars(import_module(module)).items()
        if isinstance(function, Dispatcher) and function.py_func.__module__ == module
    }


def test_every_part_of_the_kernel_is_checked() -> None:
    functions = {module: compiled_functions(module) for module in MODULES}
    checked = {module.split(".")[-1] for module, found in functions.items() if found}
    assert checked >= {
        *("bitboards", "movegen", "mating", "prover", "transposition", "dfpn")
    }
    assert sum(map(len, functions.values())) > 50


@pytest.mark.parametrize("module", MODULES)
def test_a_function_has_one_signature_and_no_floating_point(module: str) -> None:
    """A second signature or a double shows a literal beside a bitboard."""
    for name, function in compiled_functions(module).items():
        assert len(function.signatures) == 1, name
        (text,) = function.inspect_llvm().values()
        assert "define " in text, name
        assert " double " not in text, name
        assert " float " not in text, name


def test_a_recursive_call_with_other_types_is_found_when_compiling() -> None:
    """numba itself would crash, and not before the second process."""

    @jit
    def descend(word: Bitboard, depth: Number) -> Number:
        if word == depth:
            return 0
        return descend(0, depth - 1)

    @native(i64(i64))
    def entry(depth: Any) -> Any:
        return descend(1, depth)

    with pytest.raises(KernelError, match="expected calls of its own functions"):
        linked(entry)


def test_an_operation_has_the_type_that_numba_gives_it() -> None:
    numbas_own = cpu_target.typing_context
    assert len(Typing.found) > 100
    for (operation, arguments), signature in Typing.found.items():
        found = numbas_own.resolve_function_type(operation, arguments, {})
        assert found == signature


def test_an_annotation_that_numba_has_no_type_for_is_refused() -> None:
    def untyped(word: Any) -> Number:
        return word

    with pytest.raises(TypeError, match="Any has no numba type; expected a type"):
        jit(untyped)
