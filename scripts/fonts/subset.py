"""Makes the subsets of the fonts that every page loads. Other letters are in the files of the packages, loaded when shown.

Arguments: the folder of the packages (node_modules/@fontsource-variable), and the output folder.
"""

import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

# Quotation marks, dashes and the signs that the pages show.
SIGNS = [
    *(0xA0, 0xB0, 0xB7, 0xD7, 0x20AC),
    *(0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2022, 0x2026),
    *(0x2190, 0x2191, 0x2192, 0x2193, 0x2212),
]
ASCII = range(0x20, 0x7F)
LATIN_1 = [*range(0xA0, 0x100), 0x152, 0x153]
# The monospaced font is for addresses and ids, which are ASCII.
SUBSETS = {"inter": [*ASCII, *LATIN_1, *SIGNS], "geist-mono": [*ASCII, *SIGNS]}
# The styles use no other weight.
WEIGHTS = (400, 700)
FEATURES = ["ccmp", "kern", "locl", "tnum"]
# Copyright, family and style, and the license, which every copy must have.
NAMES = [0, 1, 2, 13, 14]


def make(source: Path, target: Path, unicodes: list[int]) -> None:
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options()
    options.hinting = False
    options.layout_features = FEATURES
    options.name_IDs = NAMES
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=unicodes)
    subsetter.subset(font)
    # The instancer reads tables as they are in a file.
    whole = io.BytesIO()
    font.flavor = None
    font.save(whole)
    whole.seek(0)
    font = instancer.instantiateVariableFont(TTFont(whole, recalcTimestamp=False), {"wght": WEIGHTS})
    font.flavor = "woff2"
    font.save(target)
    print(f"{target.name}: {target.stat().st_size} bytes")


packages, out = (Path(argument) for argument in sys.argv[1:])
for name, unicodes in SUBSETS.items():
    make(packages / name / "files" / f"{name}-latin-wght-normal.woff2", out / f"{name}.woff2", unicodes)
