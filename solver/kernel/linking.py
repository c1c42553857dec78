"""Object code out of numba, and into a process by llvmlite alone.

`extract` reaches into numba's compiled library; what it finds there is not promised, so
it raises `CannotExtract` rather than guess. `link` needs numba not at all.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm

from solver.kernel.cache import StoredKernel
from solver.kernel.interface import Kernel

_engines: list[Any] = []
"""Engines own the code that they linked, which lives as long as the process."""


class CannotExtractError(Exception):
    """Numba keeps its object code elsewhere than expected."""


def extract(native: Any) -> StoredKernel:
    """Take the object code of a compiled `numba.cfunc`."""
    try:
        library = native._library  # noqa: SLF001 - numba has no public way
        module = library._final_module  # noqa: SLF001
        machine = library.codegen._tm  # noqa: SLF001
        symbol = native.native_name
        code = machine.emit_object(module)
    except AttributeError as error:
        raise CannotExtractError(str(error)) from error
    declared = [*module.functions, *module.global_variables]
    undefined = tuple(
        value.name
        for value in declared
        if value.is_declaration and not value.name.startswith("llvm.")
    )
    return StoredKernel(symbol, undefined, code)


def link(stored: StoredKernel) -> Kernel:
    """Load object code into this process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in stored.undefined:
        llvm.add_symbol(name, _stand_in(name))
    machine = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(stored.code))
    engine.finalize_object()
    _engines.append(engine)
    return Kernel(engine.get_function_address(stored.symbol))


def _stand_in(name: str) -> int:
    """An address for a symbol of numba's error paths, which no kernel takes.

    Python's own are at hand. The rest get one that ends the process, should a path be
    taken all the same.
    """
    try:
        symbol = ctypes.c_char.in_dll(ctypes.pythonapi, name)
    except ValueError:
        symbol = ctypes.c_char.in_dll(ctypes.pythonapi, "Py_FatalError")
    return ctypes.addressof(symbol)
