import json
from dataclasses import replace
from typing import Any

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.reconcile.milestones import inside_milestones
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.report.campaign.document import correlation_pieces

FACTS = CampaignFacts(
    store_path="night.rrs",
    report_path=None,
    identity={},
    plan={},
    outcomes={},
    faults=(),
    requirement=load_requirement("sysfund-0004"),
)


CYCLE_KEYS = [
    "cycle",
    "record_id",
    "outside",
    "inside",
    "reconciled",
    "state_outside",
    "verdict",
    "findings",
]


def document_of(correlation: Any, facts: Any = FACTS) -> Any:
    return json.loads("".join(correlation_pieces(answered_campaign(correlation, facts))))


def test_the_keys_stand_in_the_order_of_the_contract(samples: Any) -> None:
    document = document_of(samples.four_cycles())
    assert document["schema"] == "resume-rig/correlate/1"
    assert list(document)[:6] == [
        "schema",
        "cycles",
        "unmatched_cycles",
        "unmatched_records",
        "clock",
        "verdict",
    ]
    assert list(document["cycles"][0])[: len(CYCLE_KEYS)] == CYCLE_KEYS
    assert list(document["clock"]) == [
        *("os_minus_host_s", "bound_s", "drift_ppm"),
        *("board_rate_ppb", "board_rate_bound_ppb", "board_rate_cycle_bound_ppb"),
        *("board_tolerance_ppb", "board_corrected_cycles", "board_rate_source"),
        *("breaks", "steps", "segments", "alike_offsets"),
    ]
    assert document["cycles"][2]["findings"] == [
        {
            "kind": "bios-over-advised",
            "text": "BIOS took 262 ms; at most 250 ms is advised.",
            "evidence": {"bios_init_ms": 262, "advised_ms": 250},
        }
    ]


def test_each_kind_of_finding_that_is_there_says_once_whose_it_is_and_what_shows_more(
    samples: Any,
) -> None:
    (told,) = document_of(samples.four_cycles())["finding_advice"]
    assert (told["kind"], told["owner"]) == ("bios-over-advised", "Firmware")
    assert told["source"].endswith("S3 Resume and the Windows Logo Program")
    assert "Power-Troubleshooter" in told["command"]
    assert told["means"]
    assert told["do"]


def test_a_time_is_value_and_uncertainty_in_nanoseconds(samples: Any) -> None:
    cycle = document_of(samples.four_cycles())["cycles"][1]
    assert cycle["outside"]["press_to_slp_s3_ns"] == {
        "value": 52_310_000,
        "bound": 21_000,
        "standard": 12_125,
        "expanded": 19_950,
    }
    assert cycle["reconciled"]["press_to_resume_complete_ns"]["value"] == 1_606_670_000
    assert cycle["inside"]["bios_init_ms"] == 205
    assert cycle["inside"]["driver_init_ms"] == 1043
    assert cycle["inside"]["resume_ms"] == 1248


def test_what_was_not_measured_is_null_under_every_key(samples: Any) -> None:
    cycle = document_of(samples.with_a_hang())["cycles"][2]
    assert set(cycle["outside"]) == {name.value for name in IntervalName}
    assert cycle["outside"]["press_to_light_ns"] is None
    assert set(cycle["inside"].values()) == {None}
    assert set(cycle["reconciled"].values()) == {None}
    assert (cycle["record_id"], cycle["matched"]) == (None, False)
    assert cycle["outcome"] == "never-woke"


def test_cycles_and_records_without_a_partner_are_listed(samples: Any) -> None:
    correlation = replace(samples.with_a_hang(), unmatched_records=(samples.unmatched(77),))
    document = document_of(correlation)
    assert document["unmatched_cycles"] == [3, 4]
    assert [record["record_id"] for record in document["unmatched_records"]] == [867]


def test_a_finding_of_both_sides_is_told_once(samples: Any) -> None:
    finding = Finding(FindingKind.DARK, "The display stayed dark for 30 s.", {"waited_s": 30})
    cycle = samples.cycle(findings=[finding])
    both = replace(cycle, outside=replace(cycle.outside, findings=(finding,)))
    told = document_of(samples.correlation([both]))["cycles"][0]["findings"]
    assert [one["kind"] for one in told] == ["dark"]


def test_without_a_clock_relation_its_figures_are_null(samples: Any) -> None:
    document = document_of(replace(samples.four_cycles(), clock=None))
    clock = document["clock"]
    assert [clock[name] for name in ("os_minus_host_s", "bound_s", "drift_ppm")] == [None] * 3
    assert (clock["board_rate_ppb"], clock["breaks"], clock["steps"]) == (None, [], [])


def test_the_document_has_the_campaign_with_its_budgets(samples: Any) -> None:
    document = document_of(samples.four_cycles(), samples.facts())
    campaign = document["campaign"]
    assert document["budgets"] == {}
    assert campaign["store"] == "out/night.rrs"
    assert campaign["plan"]["light_timeout_s"] is None
    assert campaign["plan"]["ignore_first"] is True
    assert campaign["outcomes"]["slept-and-woke"] == 4
    assert campaign["faults"] == []
    assert campaign["identity"]["rig"].startswith("resume-rig board")


def test_no_cycle_is_a_whole_document(samples: Any) -> None:
    document = document_of(samples.correlation([]), samples.facts())
    assert document["cycles"] == []
    assert document["unmatched_cycles"] == []


def test_a_number_that_json_has_not_becomes_null(samples: Any) -> None:
    finding = Finding(FindingKind.UNEXPLAINED, "A figure is not one.", {"share": float("nan")})
    document = document_of(samples.correlation([samples.cycle(findings=[finding])]))
    assert document["cycles"][0]["findings"][0]["evidence"] == {"share": None}


def test_the_document_is_written_cycle_by_cycle(samples: Any) -> None:
    correlation = samples.correlation([samples.cycle(1)] * 2_000)
    pieces = list(correlation_pieces(answered_campaign(correlation, FACTS)))
    assert len(pieces) > 2_000
    assert max(map(len, pieces[1:2_001])) < 20_000


def test_hostile_text_stays_bounded_ascii_in_a_valid_document(samples: Any, hostile: str) -> None:
    finding = Finding(FindingKind.UNEXPLAINED, hostile, {hostile: hostile})
    correlation = samples.correlation([samples.cycle(findings=[finding])], why=hostile)
    facts = replace(samples.facts(dut=hostile), faults=(hostile,), store_path=hostile)
    text = "".join(correlation_pieces(answered_campaign(correlation, facts)))
    assert text.isascii()
    assert all(c == "\n" or c.isprintable() for c in text)
    assert len(text) < 60_000
    json.loads(text)["campaign"]["identity"]["dut"].encode("utf-8")


def test_resume_complete_is_that_of_the_picture_where_the_bios_under_reports(samples: Any) -> None:
    evidence = {"hidden_ns": 231_000_000, "bound_ns": 50_000_000, "cycles": 60}
    finding = Finding(FindingKind.BIOS_UNDER_REPORTED, "231 ms are hidden.", evidence)
    cycle = replace(
        samples.cycle(findings=[finding]), press_to_resume_complete=None, light_after_complete=None
    )
    reset_to_tsc = BoundedNs(25_000_000, 15_000_000)
    facts = replace(samples.facts(), reset_to_tsc=reset_to_tsc)
    (written,) = document_of(samples.correlation([cycle]), facts)["cycles"]

    placed = inside_milestones(cycle, None, reset_to_tsc)
    assert placed is not None
    reconciled = written["reconciled"]
    assert reconciled["press_to_resume_complete_ns"]["value"] == placed.complete.value_ns
    assert reconciled["hidden_ns"]["value"] == 231_000_000
    light = written["outside"]["press_to_light_ns"]["value"]
    assert reconciled["light_after_complete_ns"]["value"] == light - placed.complete.value_ns


def test_the_answer_is_a_key_of_the_document(samples: Any) -> None:
    document = document_of(samples.with_a_hang())
    answer = document["answer"]
    assert answer["transitions"]["first_wrong"] == 3
    assert answer["counts"]["failed"] == len(answer["transitions"]["failed"])
    assert [each["standing"] for each in document["cycles"]].count("failed") == 1
    assert len(answer["headline"].split()) <= 12
