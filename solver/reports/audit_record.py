"""Findings for programs: the record of an answer, and how its claim fared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from solver.reports.line import first_moves
from solver.version import SCHEMA

if TYPE_CHECKING:
    from solver.audit.result import Finding


def finding_record(finding: Finding) -> dict[str, object]:
    """Make the record of what an audit tells of one record.

    Parameters
    ----------
    finding : Finding
        What it tells.

    Returns
    -------
    dict
        What `json.dumps` takes: the record of the answer (see `record`) with `source`
        (`file:line`) behind `id`, and `verdict` and `soundness` behind `status`, None
        where they do not apply. At its end, only if there are any: `nomate` (claimed:
        none in so many moves), `claimed_keys`, `claimed_line`, `wrong_keys` in UCI
        notation, `only_moves` and `plies` of the claimed line, `tablebase`,
        `disagreements` (see `Finding.disagreements`). Of what is unreadable: `error`.
    """
    told: dict[str, object] = {
        "schema": SCHEMA,
        "id": finding.id,
        "source": finding.source,
        "fen": finding.fen,
        "claim": finding.claim,
        "status": finding.status,
        "verdict": finding.verdict,
    }
    if finding.fen is None:
        return {**told, "error": finding.error, "solver": finding.solver}
    keys = finding.keys.split()
    sans = first_moves(finding.fen, keys)
    told |= {
        "soundness": finding.soundness,
        "mate": finding.mate,
        "lower_bound": finding.lower_bound,
        "keys": [{"uci": uci, "san": san} for uci, san in zip(keys, sans, strict=True)],
        "keys_complete": bool(finding.keys_complete),
        "pv": finding.pv.split(),
        "nodes": finding.nodes,
        "time_s": finding.time_s,
        "stopped_by": finding.stopped_by,
        "solver": finding.solver,
    }
    if finding.nomate is not None:
        told["nomate"] = finding.nomate
    for name in ("claimed_keys", "claimed_line", "wrong_keys"):
        if moves := getattr(finding, name):
            told[name] = moves.split()
    if finding.only_moves is not None:
        told["only_moves"] = bool(finding.only_moves)
    if finding.plies:
        told["plies"] = json.loads(finding.plies)
    if finding.tablebase:
        told["tablebase"] = finding.tablebase
    if finding.disagreements:
        told["disagreements"] = list(finding.disagreements)
    return told
