"""The compiler: numba translates each function to LLVM IR; LLVM compiles all at once.

By itself, numba optimises and assembles every function together with everything it
calls, and again in every caller. That took 17 s; this takes 6 s: `FrontEnd` stops numba
when a function is LLVM IR, and `compile_object` links the IR of the functions that an
entry needs, optimises it once and assembles one object file.

The classes below depend on numba's internals. If a version of numba differs, they fail,
and `solver.kernel.build.loader` lets numba compile by itself.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, ClassVar

import llvmlite.binding as llvm
from llvmlite import ir
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import (
    cgutils,
    codegen,
    compiler,
    compiler_machinery,
    typed_passes,
    types,
    typing,
    untyped_passes,
)
from numba.core.compiler_lock import global_compiler_lock

from solver.kernel.border import interface
from solver.kernel.build import cache

SPEED_LEVEL = 3
"""The highest level, with vectorized loops, as in numba."""

RUNTIME = "nrt"
"""numba's library for reference counts, which no kernel function needs."""

REFUSE = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
"""A Python function that raises TypeError."""


EXCEPTION = re.compile(
    r'^(@"\.const\.picklebuf\..*" = internal constant \{.*?\}) \{.*\}$', re.MULTILINE
)
"""What numba would raise. The C function does not raise it, and it has addresses, which
an image cannot have."""

TARGET = re.compile(r"^target .*$", re.MULTILINE)
"""The lines of IR that name the target."""


class Translation(codegen.JITCodeLibrary):
    """The LLVM IR of one function, neither optimised nor linked nor assembled."""

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(owner, name)
        self.texts: list[str] = []

    def add_ir_module(self, module: Any) -> None:
        """Keep a module as it is."""
        text = cgutils.normalize_ir_text(str(module))
        self.texts.append(EXCEPTION.sub(r"\1 zeroinitializer", text))

    def finalize(self) -> None:
        """Mark as complete, so that other functions may call this one."""
        self._finalized = True

    def get_llvm_str(self) -> str:
        """Return the IR of this function alone."""
        return "\n".join(self.texts)

    def linked(self, target: str = "") -> Any:
        """Return a new LLVM module with this function and everything it calls.

        Parameters
        ----------
        target : str
            The lines of IR that name the target; empty: numba's own, this machine.
        """
        linked = llvm.parse_assembly(target)
        if not target:
            linked.data_layout = str(self.codegen.target_data)
        for library in self.with_callees({}):
            if isinstance(library, Translation):
                texts = library.texts
            else:  # a function of numba's own, such as min
                texts = [str(library._get_module_for_linking())]  # noqa: SLF001
            for text in texts:
                module = llvm.parse_assembly(target + TARGET.sub("", text))
                module.data_layout = linked.data_layout
                linked.link_in(module)
        return linked

    def with_callees(self, seen: dict[int, Any]) -> list[Any]:
        """Add this library and those of its callees to `seen`, by identity."""
        seen[id(self)] = self
        for library in self._linking_libraries:
            if id(library) in seen or library.name == RUNTIME:
                continue
            if isinstance(library, Translation):
                library.with_callees(seen)
            else:
                seen[id(library)] = library
        return list(seen.values())

    def _get_module_for_linking(self) -> Any:
        """Return what a function that numba compiles by itself needs of this one."""
        module = self.linked()
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = llvm.Linkage.linkonce_odr
        return module


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class Declare(compiler_machinery.LoweringPass):
    """Let other functions call a function that has no machine code."""

    _name = "matesolve_declare"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Register the function under a Python function that raises TypeError."""
        lowered = state["cr"]
        described = lowered.fndesc
        key = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", REFUSE, lowered.env, ()
        )
        state.targetctx.insert_user_function(key, described, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


UNNEEDED_PASSES = {
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.AnnotateTypes,
}
"""numba's passes for features that no kernel function uses: `with`, closures,
exceptions, loops over tuples of many types, arithmetic with whole arrays. LLVM prunes
branches itself."""


class Typing(typing.Context):  # type: ignore[misc, name-defined]
    """numba's typing context, which now finds the type of an operation only once.

    numba searches dozens of signatures for each `a & b`, which took a sixth of the
    time. The kernel has few operations on few types.
    """

    found: ClassVar[dict[Any, Any]] = {}
    """Signatures by operation and types of the arguments."""

    def __init__(self, context: Any) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(
        self, function: Any, arguments: Any, keywords: Any
    ) -> Any:
        """Return the signature of a call."""
        if type(function) is not types.Function or keywords:
            return super().resolve_function_type(function, arguments, keywords)
        call = function, arguments
        if call not in self.found:
            self.found[call] = super().resolve_function_type(*call, keywords)
        return self.found[call]


class FrontEnd(compiler.CompilerBase):
    """numba's compiler up to LLVM IR."""

    def define_pipelines(self) -> list[Any]:
        """Return the usual numba passes that kernel functions need.

        There is no machine code and no wrapper for Python.
        """
        state = self.state
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.library = Translation(
            state.targetctx.codegen(), state.func_id.func_qualname
        )
        state.typingctx = Typing(state.typingctx)
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(state)
        passes.add_pass_after(Declare, typed_passes.NativeLowering)
        passes.passes = [
            each for each in passes.passes if each[0] not in UNNEEDED_PASSES
        ]
        passes.finalize()
        return [passes]


@global_compiler_lock
def compile_object(entry: Any, symbol: str, target: cache.Target) -> bytes:
    """Compile a function and everything it calls to an object file.

    Parameters
    ----------
    entry : numba dispatcher
        A function that `FrontEnd` translated, with one signature.
    symbol : str
        The name of the C function that calls it.
    target : Target
        The processor to compile for.

    Returns
    -------
    bytes
        A relocatable object file that needs no symbol from outside but the target's
        imports.

    Raises
    ------
    KernelError
        A function is called that does not exist.
    """
    # 1. Link the IR of the entry and of all functions that it needs.
    machine = cache.target_machine(target)
    header = (
        f'target datalayout = "{machine.target_data}"\n'
        f'target triple = "{machine.triple}"\n'
    )
    (result,) = entry.overloads.values()
    linked = result.library.linked(header)
    for text in (str(_c_function(result, symbol)), target.definitions):
        linked.link_in(llvm.parse_assembly(header + TARGET.sub("", text)))

    # 2. Only C's function is called from outside, so all others may be inlined.
    for value in [*linked.functions, *linked.global_variables]:
        if not value.is_declaration and value.name != symbol:
            value.linkage = llvm.Linkage.internal
    linked.verify()

    # 3. Optimise as numba does, once.
    options = llvm.create_pipeline_tuning_options(speed_level=SPEED_LEVEL)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(linked, builder)

    # 4. Assemble. A function that does not exist is a recursive call whose arguments do
    #    not have the types of the signature.
    linked.link_in(llvm.parse_assembly(header + target.library))
    undefined = [
        value.name
        for value in [*linked.functions, *linked.global_variables]
        if value.is_declaration
        and not value.name.startswith("llvm.")
        and value.name not in target.imports
    ]
    if undefined:
        msg = f"kernel: expected calls of its own functions, found {undefined}"
        raise interface.KernelError(msg)
    code: bytes = machine.emit_object(linked)
    return code


def _c_function(result: Any, symbol: str) -> ir.Module:
    """Return a module with the C function, which calls the entry."""
    context, described = result.target_context, result.fndesc
    module = ir.Module(symbol)
    arguments = [context.get_value_type(kind) for kind in described.argtypes]
    returned = context.get_value_type(described.restype)
    function = ir.Function(module, ir.FunctionType(returned, arguments), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    status, value = context.call_conv.call_function(
        builder,
        context.declare_function(module, described),
        described.restype,
        described.argtypes,
        function.args,
    )
    # No kernel function raises; should one ever do, the process ends.
    with builder.if_then(status.is_error, likely=False):
        trap = ir.FunctionType(ir.VoidType(), ())
        builder.call(module.declare_intrinsic("llvm.trap", (), trap), ())
        builder.unreachable()
    builder.ret(value)
    return module
