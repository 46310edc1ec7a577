"""Prints how many recordings of each area a server answers as kube-apiserver did.

python tests/golden_rates.py [AREA …]          starts a server of its own; areas of random scenarios are fuzz/DOMAIN
python tests/golden_rates.py -v AREA/NAME      shows the differences
python tests/golden_rates.py --update [AREA …] writes those that differ into golden/known_differences.txt
"""

from __future__ import annotations

import argparse
import ssl
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "golden"))

import recordings
from recordings import Recording

from support.golden import webhook
from support.golden.client import Client
from support.golden.scenario import replay_steps
from support.golden.webhook import Webhook
from support.server import Server

# Scenarios mostly wait: for the ends of watches, and where they sleep.
THREADS = 24
TOKEN = "golden-token"
# As the recorded server was run: nothing gave aggregated roles their rules.
# As the recorded server was: its namespaces stay for 5 s, so none goes while a scenario looks at it.
_FLAGS = (
    "--service-cluster-ip-range=10.0.0.0/16",
    "--controllers=*,-clusterrole-aggregation-controller",
    "--namespace-deletion-delay=5s",
)
_SHOWN = 12
_LOG_MAX = 20_000

Differences = list[list[str]]  # of each recorded answer


class Target(NamedTuple):
    """A server, over HTTPS with the recordings' token, and what it calls."""

    client: Client
    webhook: Webhook

    def replay(self, recording: Recording) -> Differences:
        try:
            return replay_steps(self.client, recording.content, self.webhook)
        except Exception as error:
            return [[f": {type(error).__name__}: {error}"] for _ in recording.content["answers"]]


@contextmanager
def serving(*flags: str) -> Iterator[Target]:
    """`flags`: more of the server's."""
    with TemporaryDirectory() as folder, webhook.serving() as hook:
        tokens = Path(folder) / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        with Server(None, "--token-auth-file", str(tokens), *_FLAGS, *flags, checks_memory=True) as server:
            context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
            client = Client("127.0.0.1", server.secure_port, TOKEN, context, keeps_connections=True)
            while client("GET", "/readyz").code != 200:
                time.sleep(0.02)
            publish_more(client)
            yield Target(client, hook)
            # Whoever replays many scenarios must not take a server that is gone for one that answers otherwise.
            assert server.exit_code is None, f"the server ended with {server.exit_code}: {server.log()[-_LOG_MAX:]}"


def publish_more(client: Client) -> None:
    """What the recorded server let everybody read beside what every server does: a role of its build."""
    name, api = "system:openshift:public-info-viewer", "rbac.authorization.k8s.io"
    metadata = {"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}
    rules = [{"verbs": ["get"], "nonResourceURLs": ["/.well-known", "/.well-known/*"]}]
    groups = ("system:authenticated", "system:unauthenticated")
    subjects = [{"kind": "Group", "apiGroup": api, "name": group} for group in groups]
    role = {"roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name}, "subjects": subjects}
    for kind, members in (("ClusterRole", {"rules": rules}), ("ClusterRoleBinding", role)):
        body = {"apiVersion": f"{api}/v1", "kind": kind, "metadata": metadata, **members}
        answer = client("POST", f"/apis/{api}/v1/{kind.lower()}s", body)
        assert answer.code == 201, answer.text


def replay_all(target: Target, wanted: Iterable[Recording]) -> list[tuple[Recording, Differences]]:
    """Many at once, since nearly all keep to a group and namespace of their own."""
    wanted = list(wanted)
    with replaying(target, wanted) as found:
        together = {name: future.result() for name, future in found.items()}
    return [(each, together.get(each.full_name) or target.replay(each)) for each in wanted]


@contextmanager
def replaying(target: Target, wanted: Iterable[Recording]) -> Iterator[dict[str, Future[Differences]]]:
    """The replays by full name, those that sleep longest first; without those that have to run alone."""
    together = [each for each in wanted if not each.is_alone]
    together.sort(key=lambda each: each.seconds_asleep, reverse=True)
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            yield {each.full_name: pool.submit(target.replay, each) for each in together}
        finally:
            pool.shutdown(cancel_futures=True)


def replay_again(target: Target, found: list[tuple[Recording, Differences]]) -> list[tuple[Recording, Differences]]:
    """What differs each time, replayed twice more with nothing beside it: with the differences that are left, if any.
    So the list of known differences does not hang on how busy a machine was, nor on whether a second ended between two
    writes (managedFields are ordered by their times, and a write that changes their order alone is stored)."""
    for _ in range(2):
        again = [(recording, target.replay(recording)) for recording, differences in found if any(differences)]
        found = [(recording, differences) for recording, differences in again if any(differences)]
    return found


def print_differences(recording: Recording, differences: Differences) -> None:
    print(recording.full_name)
    texts = [f"[{position}]{text}" for position, found in enumerate(differences) for text in found]
    for text in texts[:_SHOWN]:
        print(f"    {text}")


def print_rates(found: list[tuple[Recording, Differences]]) -> None:
    for area in [*dict.fromkeys(recording.area for recording, _ in found), ""]:
        mine = [differences for recording, differences in found if area in ("", recording.area)]
        answers = [texts for differences in mine for texts in differences]
        same = sum(not any(differences) for differences in mine)
        same_answers = sum(not texts for texts in answers)
        rate = f"{same_answers:5} of {len(answers):5} ({100 * same_answers / max(1, len(answers)):.2f} %)"
        print(f"{area or 'all':15} {same:4} of {len(mine):4}   answers {rate}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", action="store_true", help="show the differences")
    parser.add_argument("--update", action="store_true", help="write the list of known differences")
    parser.add_argument("wanted", nargs="*", metavar="AREA")
    arguments = parser.parse_args()
    with serving() as target:
        found = replay_all(target, recordings.find(arguments.wanted))
        differing = replay_again(target, found) if arguments.update else []
    if arguments.v:
        for recording, differences in found:
            if any(differences):
                print_differences(recording, differences)
    print_rates(found)
    if arguments.update:
        replayed = [recording for recording, _ in found]
        new, gone = recordings.write_known(replayed, [recording for recording, _ in differing])
        print(f"known differences: {len(new)} more, {len(gone)} less", *sorted(new))
    return 0


if __name__ == "__main__":
    sys.exit(main())
