"""The tables of a plan's words in the reference, written from the table that every door reads.

Run it to write them: python host/tests/plan_pages.py
"""

from pathlib import Path
from typing import Final

from resume_rig.campaign.plan.words import COMMAND_LINE, RULE, WORDS, PlanWord, Switch

REFERENCE: Final = Path(__file__).resolve().parents[2] / "docs" / "reference"


def words_table() -> str:
    """Return the keys of a plan file."""
    rows = [_row(word, word.key) for word in WORDS if not word.is_rule]
    return "\n".join(["| key | default | allowed | meaning |", "|---|---|---|---|", *rows])


def rules_table() -> str:
    """Return the keys of `[stop]`."""
    rows = [_row(word, word.key.removeprefix(RULE)) for word in WORDS if word.is_rule]
    head = "| key of `[stop]` | default | allowed | meaning |"
    return "\n".join([head, "|---|---|---|---|", *rows])


def options_table() -> str:
    """Return the options of `run` that are words of a plan."""
    rows = [f"| {_option(word)} | {_sentence(word.meaning)} |" for word in WORDS]
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


TABLES: Final = {
    ("plans.md", "words"): words_table,
    ("plans.md", "rules"): rules_table,
    ("command-line.md", "plan options"): options_table,
}


def with_tables(name: str, page: str) -> str:
    """Return a page whose tables are those of now, between the comments that name them."""
    for (of, table), write in TABLES.items():
        if of == name:
            before, begin, rest = page.partition(f"<!-- {table} -->\n")
            _, end, after = rest.partition(f"<!-- end of {table} -->")
            page = f"{before}{begin}{write()}\n{end}{after}"
    return page


def _row(word: PlanWord, key: str) -> str:
    usual = f"`{word.default_text}`" if word.default_text else ""
    also = "" if not word.varies else "; a list" if word.kind.choices else "; a list, a range"
    meaning = f"{word.help}; {word.more}" if word.more else word.help
    return f"| `{key}` | {usual} | {word.kind.allowed}{also} | {_sentence(meaning)} |"


def _option(word: PlanWord) -> str:
    option = COMMAND_LINE.named(word.key)
    if isinstance(word.kind, Switch):
        return f"`{option}`, `{option.replace('--', '--no-', 1)}`"
    return f"`{option} {word.kind.metavar}`"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


if __name__ == "__main__":
    for page in {name for name, _ in TABLES}:
        path = REFERENCE / page
        path.write_text(with_tables(page, path.read_text("utf-8")), "utf-8")
