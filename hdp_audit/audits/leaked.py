"""How much δ a trial shows: beside the curve that was promised, or as a hint where a pure promise was refuted."""

from __future__ import annotations

import numpy as np

from hdp_audit.audits.trial import Trial
from hdp_audit.evidence.leaked import least_deltas
from hdp_audit.evidence.wealth import LARGEST
from hdp_audit.model.promise import PureLimit

CURVE_POINTS = 13  # at which a curve is measured
RAREST_SHOWN = 1e-3  # the last of them: where the best event is so rare
SMALL_DELTA = 0.05  # up to which a promise with δ is worth a hint


def delta_of(trial: Trial) -> dict[str, object]:
    """The δ that a pure promise would need beside its ε, where it is small: a hint what else could be promised."""
    limit = trial.game.pair.limit
    if not trial.refuted or not isinstance(limit, PureLimit) or limit.strength > LARGEST:
        return {}
    least = float(least_deltas([game.wealth for game in trial.games], [limit.strength])[0])
    return {"delta_shown": least} if 0.0 < least <= SMALL_DELTA else {}


def curve_of(trial: Trial) -> dict[str, object]:
    """How much δ was shown at least, beside the curve that was promised."""
    games, limit = [game.wealth for game in trial.games], trial.game.pair.limit
    if isinstance(limit, PureLimit):
        return delta_of(trial)
    asked = np.linspace(0.0, min(float(limit.tangent(RAREST_SHOWN)) + 1.0, LARGEST), CURVE_POINTS)
    shown = least_deltas(games, asked.tolist())
    rows = zip(asked.tolist(), limit.delta(asked).tolist(), shown.tolist(), strict=True)
    return {"curve": [[round(number, 12) for number in row] for row in rows]}
