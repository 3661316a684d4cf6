"""Tells somebody by mail what became of a campaign: run --on-end 'python mail.py lab@example.com'.

The mail server is named by SMTP_HOST (default localhost) and SMTP_PORT (25). What the campaign says
is in the environment, some of it from the DUT: it goes into the body as text, never into a header.
"""

import os
import smtplib
import sys
from email.message import EmailMessage
from pathlib import Path

told = {name: os.environ.get(f"RESUME_RIG_{name}", "") for name in ("EVENT", "STORE", "VERDICT")}
mail = EmailMessage()
mail["From"] = mail["To"] = sys.argv[1]
store = "".join(c for c in Path(told["STORE"]).name if c.isprintable())[:80]
mail["Subject"] = f"resume-rig {told['EVENT']}: {store} {told['VERDICT']}".strip()
mail.set_content(
    "\n".join(
        f"{name}: {text}"
        for name, text in sorted(os.environ.items())
        if name.startswith("RESUME_RIG_")
    )
)
with smtplib.SMTP(
    os.environ.get("SMTP_HOST", "localhost"), int(os.environ.get("SMTP_PORT", "25")), timeout=8
) as server:
    server.send_message(mail)
