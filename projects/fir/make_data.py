"""Makes `data/signal.npy` and `data/taps.npy`.

The signal is the weekly concentration of carbon dioxide at Mauna Loa, 1958 to 2001, in
parts per million, which statsmodels ships as `datasets/co2/co2.csv` and states to be in
the public domain (C. D. Keeling and T. P. Whorf, 2004: Atmospheric CO2 concentrations
derived from flask air samples at sites in the SIO network; Oak Ridge National
Laboratory). 59 weeks without a measurement are filled in by straight lines.

The taps are a windowed sinc: the ideal low-pass filter that ends at a period of 104
weeks, cut to 157 taps (three years) by a Hamming window, and scaled to the sum 1. The
yearly swing goes, the trend stays.

Needs `pip install statsmodels numpy`.
"""

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np

TAPS = 157
CUTOFF_WEEKS = 104.0


def measurements() -> list[tuple[int, float]]:
    """Week and parts per million of every week that has a measurement."""
    package = find_spec("statsmodels")
    if package is None or package.origin is None:
        raise SystemExit("statsmodels is not installed")
    table = Path(package.origin).parent / "datasets" / "co2" / "co2.csv"
    with table.open(newline="") as text:
        rows = list(csv.DictReader(text))
    return [(week, float(row["co2"])) for week, row in enumerate(rows) if row["co2"]]


def main() -> None:
    """Saves signal and taps."""
    weeks, values = zip(*measurements(), strict=True)
    # One decimal, as measured: none of these values has an exact binary form.
    signal = np.round(np.interp(np.arange(weeks[-1] + 1), weeks, values), 1)

    offsets = np.arange(TAPS) - (TAPS - 1) / 2
    taps = np.sinc(2.0 * offsets / CUTOFF_WEEKS) * np.hamming(TAPS)

    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "signal.npy", signal)
    np.save(data / "taps.npy", taps / taps.sum())


if __name__ == "__main__":
    main()
