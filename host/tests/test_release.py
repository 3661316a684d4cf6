"""The recipe of a release: its files, its checks, and nothing of others among the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
PAGE = (ROOT / "docs" / "how-to" / "release.md").read_text("utf-8")


def job(name: str) -> str:
    """Return the text of a job."""
    found = re.search(rf"^  {name}:\n(.*?)(?=^  \w+:\n|\Z)", RECIPE, re.S | re.M)
    assert found is not None
    return found[1]


def test_a_workspace_of_west_lies_beside_the_sources() -> None:
    lines = [line.strip() for line in job("build").splitlines()]
    entered = lines.index('cd "$RUNNER_TEMP/workspace"')
    west = [at for at, line in enumerate(lines) if re.match(r"west (init|update)\b", line)]
    assert west
    assert all(at > entered for at in west)


def test_the_tag_is_the_version_before_anything_is_built() -> None:
    build = job("build")
    assert build.index("grep -Fx") < build.index("make test") < build.index("make release")


def test_what_is_published_was_used_checked_and_attested() -> None:
    attest, publish = job("attest"), job("publish")
    check = "sha256sum --check --strict SHA256SUMS"
    assert "needs: build" in job("use")
    assert "needs: use" in attest
    assert "needs: attest" in publish
    order = (check, "attest-build-provenance", "attest-sbom")
    places = [attest.index(step) for step in order]
    assert places == sorted(places)
    assert publish.index(check) < publish.index("gh release create")


def test_every_action_is_a_commit_with_its_version_beside_it() -> None:
    used = re.findall(r"uses: *(.*)", RECIPE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}  # v[\d.]+", one)] == []


def test_each_job_has_the_rights_that_it_uses_and_no_others() -> None:
    def rights(name: str) -> dict[str, str]:
        block = re.search(r"^    permissions:\n((?: {6}.*\n)+)", job(name), re.M)
        assert block is not None
        return dict(re.findall(r"^ {6}([\w-]+): (\w+)", block[1], re.M))

    assert "\npermissions: {}\n" in RECIPE
    assert rights("build") == rights("use") == {"contents": "read"}
    assert rights("attest") == {"id-token": "write", "attestations": "write"}
    assert rights("publish") == {"contents": "write"}
    assert RECIPE.count("permissions:") == 1 + 4


def test_the_page_names_every_file_that_make_release_writes() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    names = set(re.findall(r"dist/([\w.]+\.(?:txt|json))", makefile)) | {"SHA256SUMS"}
    assert names == {"requirements.txt", "sbom.cdx.json", "SHA256SUMS"}
    assert all(f"`{name}`" in PAGE for name in names)
