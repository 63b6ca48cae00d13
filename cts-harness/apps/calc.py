"""LibreOffice Calc computes columns of formulas on the device and on the host; their values must agree."""

import os
import random
import re
import shutil
import subprocess
import sys

ROWS = 200
# Columns A to C hold numbers. A term inside a function makes the program write a stray number into its kernel.
FORMULAS = [
    "[.A{n}]*[.B{n}]+[.C{n}]/7",
    "SUM([.A$1:.A${rows}])*[.B{n}]",
    "SUM([.A{n}:.C{n}])",
    "AVERAGE([.A{n}:.C{n}])",
    "PRODUCT([.A{n}:.B{n}])",
    "SQRT([.A{n}])+SIN([.B{n}])*COS([.C{n}])",
    "EXP([.B{n}])+LN([.A{n}])",
    "ABS([.B{n}])^1.5",
    "IF([.A{n}]>[.C{n}];[.A{n}]-[.C{n}];[.B{n}])",
    "SUMPRODUCT([.A$1:.A$40];[.C$1:.C$40])+[.B{n}]",
    "MAX([.A{n}:.C{n}])-MIN([.A{n}:.C{n}])",
    "SUMIF([.A$1:.A${rows}];[.A{n}];[.C$1:.C${rows}])",
    "VAR([.A{n}:.C{n}])",
    "LEGACY.NORMSDIST([.B{n}])",
    "TAN([.B{n}])",
    "MOD([.A{n}];7)+INT([.C{n}])",
]
CONFIGURATION = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="UseOpenCL" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
"""


def sheet(path):
    draws = random.Random(8)
    rows = []
    for n in range(1, ROWS + 1):
        numbers = [draws.randint(1, 60), round(draws.uniform(-20, 20), 3), round(draws.uniform(1, 90), 3)]
        cells = [f'<table:table-cell office:value-type="float" office:value="{x}"/>' for x in numbers]
        for formula in FORMULAS:
            text = formula.format(n=n, rows=ROWS).replace("&", "&amp;").replace(">", "&gt;")
            cells.append(f'<table:table-cell table:formula="of:={text}" office:value-type="float"/>')
        rows.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    with open(path, "w", encoding="ascii") as file:
        file.write(
            f'<?xml version="1.0"?><office:document {names} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" '
            'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>'
            f'<office:spreadsheet><table:table table:name="numbers">{"".join(rows)}</table:table>'
            "</office:spreadsheet></office:body></office:document>"
        )


def computed(how):
    """The values of all formulas, and what the program and the driver said."""
    home = os.path.abspath(f"profile-{how}")
    os.makedirs(f"{home}/user", exist_ok=True)
    with open(f"{home}/user/registrymodifications.xcu", "w", encoding="ascii") as file:
        file.write(CONFIGURATION)
    shutil.rmtree(how, ignore_errors=True)
    # Without a part of a device's name it measures which one is fastest, the host among them, whose name has no small letters.
    variables = dict(os.environ, SC_FORCE_CALCULATION=how, SC_OPENCL_DEVICE_OVERRIDE="e", PUMICE_LOG="debug")
    if how != "opencl":
        variables["SAL_DISABLE_OPENCL"] = "1"
    command = ["soffice", f"-env:UserInstallation=file://{home}", "--headless", "--convert-to"]
    # Full precision: what cells hold and not what they show.
    command += ["csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false", "--outdir", how, "numbers.fods"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, env=variables, check=False)
    with open(f"{how}/numbers.csv", encoding="utf-8") as file:
        table = [line.strip().split(",")[3:] for line in file]
    return table, done.stdout + done.stderr


sheet("numbers.fods")
host, _ = computed("threads")
device, said = computed("opencl")
launches = len(re.findall(r"submits", said))
print(f"{launches} submissions")
# The program falls back to the host without a word; only the driver's own log shows it.
if re.search(r"^pumice: ", said, re.M) and launches < len(FORMULAS):
    sys.exit("WRONG: it did not compute on the device")
right = 0
for column, formula in enumerate(FORMULAS):
    try:
        pairs = [(float(a[column]), float(b[column])) for a, b in zip(host, device)]
        off = max(abs(a - b) / max(1.0, abs(a)) for a, b in pairs)
        good = len(pairs) == ROWS and len({a for a, _ in pairs}) > 5 and off < 1e-12
    except (ValueError, IndexError) as error:
        off, good = error, False
    right += good
    print("ok" if good else "WRONG", formula, off)
print(f"{right} of {len(FORMULAS)} columns equal")
sys.exit(right != len(FORMULAS))
