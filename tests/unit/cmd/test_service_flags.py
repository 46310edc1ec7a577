"""The ranges from which services get addresses, as they are given by a flag."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.cmd import main as commands
from quarterdeck.cmd import options


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("10.0.0.0/24",)),
        ("10.96.0.0/12", ("10.96.0.0/12",)),
        ("10.96.0.7/29", ("10.96.0.0/29",)),
        ("2001:DB8::/64", ("2001:db8::/64",)),
        ("10.96.0.0/16,fd00::/108", ("10.96.0.0/16", "fd00::/108")),
        ("fd00::/108,10.96.0.0/16", ("fd00::/108", "10.96.0.0/16")),
    ],
)
def test_ranges_of_one_or_two_families(text: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    arguments, _ = options.parse(["serve", f"--data-dir={tmp_path}", f"--service-cluster-ip-range={text}"])
    assert options.build_config(arguments).service_ranges == expected


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("x", "service-cluster-ip-range[0] is not a valid cidr"),
        ("10.0.0.0/24,x", "service-cluster-ip-range[1] is not an ip net"),
        ("10.0.0.0/30", "the service cluster IP range must be at least 8 IP addresses"),
        ("fd00::/126", "the service cluster IP range must be at least 8 IP addresses"),
        ("10.0.0.0/24,10.1.0.0/24", "must be of different IP family"),
        ("10.0.0.0/24,fd00::/108,10.1.0.0/24", "must not contain more than two entries"),
    ],
)
def test_other_ranges_are_refused(text: str, refusal: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["serve", "--data-dir=d", f"--service-cluster-ip-range={text}"])
    assert ended.value.code == commands.EXIT_USAGE
    assert refusal in capsys.readouterr().err
