"""The ranges from which services get addresses and node ports, as they are given by flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.cmd import main as commands
from quarterdeck.cmd import options

ADDRESSES = "--service-cluster-ip-range"
PORTS = "--service-node-port-range"


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
    arguments, _ = options.parse(["serve", f"--data-dir={tmp_path}", f"{ADDRESSES}={text}"])
    assert options.build_config(arguments).service_ranges == expected


@pytest.mark.parametrize(
    ("text", "expected", "shown"),
    [
        ("", range(30000, 32768), "30000-32767"),
        ("80-90", range(80, 91), "80-90"),
        (" 80+10 ", range(80, 91), "80-90"),
        ("80", range(80, 81), "80-80"),
        ("0-65535", range(65536), "0-65535"),
    ],
)
def test_ranges_of_node_ports(text: str, expected: range, shown: str, tmp_path: Path) -> None:
    arguments, ignored = options.parse(["serve", f"--data-dir={tmp_path}", f"{PORTS}={text}"])
    config = options.build_config(arguments)
    assert (config.node_ports, ignored) == (expected, [])
    assert config.flags["service-node-port-range"] == shown
    assert config.flags["service-cluster-ip-range"] == "10.0.0.0/24"


@pytest.mark.parametrize(
    ("flag", "text", "refusal"),
    [
        (ADDRESSES, "x", "service-cluster-ip-range[0] is not a valid cidr"),
        (ADDRESSES, "10.0.0.0/24,x", "service-cluster-ip-range[1] is not an ip net"),
        (ADDRESSES, "10.0.0.0/30", "the service cluster IP range must be at least 8 IP addresses"),
        (ADDRESSES, "fd00::/126", "the service cluster IP range must be at least 8 IP addresses"),
        (ADDRESSES, "10.0.0.0/24,10.1.0.0/24", "must be of different IP family"),
        (ADDRESSES, "10.0.0.0/24,fd00::/108,10.1.0.0/24", "must not contain more than two entries"),
        (PORTS, "x", "unable to parse port range: x"),
        (PORTS, "-80", "unable to parse port range: -80"),
        (PORTS, "80-90+1", "unable to parse port range: 80-90+1"),
        (PORTS, "80-65536", "the port range cannot be greater than 65535: 80-65536"),
        (PORTS, "65535+1", "the port range cannot be greater than 65535: 65535+1"),
        (PORTS, "90-80", "end port cannot be less than start port: 90-80"),
    ],
)
def test_other_ranges_are_refused(flag: str, text: str, refusal: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["serve", "--data-dir=d", f"{flag}={text}"])
    assert ended.value.code == commands.EXIT_USAGE
    assert refusal in capsys.readouterr().err
