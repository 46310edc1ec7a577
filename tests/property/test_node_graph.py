"""The counting graph of nodes answers as a search through everything that is there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.authorization.node.graph import CLAIM, POD, SECRET, VOLUME, Graph, Vertex

NODES = ("n1", "n2")
PODS = [Vertex(POD, "d", name) for name in ("p", "q", "r")]
CLAIMS = [Vertex(CLAIM, "d", name) for name in ("c1", "c2")]
SECRETS = [Vertex(SECRET, "d", name) for name in ("s1", "s2")]
VOLUMES = ("v1", "v2")

named = st.lists(st.sampled_from([*CLAIMS, *SECRETS]), max_size=4)
pod_changes = st.tuples(st.just("pod"), st.sampled_from(PODS), st.sampled_from(("", *NODES)), named)
volume_changes = st.tuples(
    st.just("volume"),
    st.sampled_from(VOLUMES),
    st.none() | st.sampled_from([(each.namespace, each.name) for each in CLAIMS]),
    st.lists(st.sampled_from([(each.namespace, each.name) for each in SECRETS]), max_size=2),
)


class Searched:
    """The same, slow and obvious."""

    def __init__(self) -> None:
        self.pods: dict[Vertex, tuple[str, set[Vertex]]] = {}
        self.volumes: dict[str, tuple[Vertex, set[Vertex]]] = {}

    def leads(self, vertex: Vertex, node: str) -> bool:
        of_node = [(pod, named) for pod, (where, named) in self.pods.items() if where == node]
        if any(vertex == pod or vertex in named for pod, named in of_node):
            return True
        claims = {each for _, named in of_node for each in named if each.kind == CLAIM}
        return any(
            vertex == Vertex(VOLUME, "", name) or vertex in secrets
            for name, (claim, secrets) in self.volumes.items()
            if claim in claims
        )


@given(st.lists(pod_changes | volume_changes, max_size=30))
def test_it_answers_as_a_search_does(changes: list[tuple[str, Vertex | str, object, list[object]]]) -> None:
    graph, searched = Graph(), Searched()
    for kind, what, where, names in changes:
        if kind == "pod":
            assert isinstance(what, Vertex)
            graph.bind(what, str(where), names)  # type: ignore[arg-type]
            searched.pods.pop(what, None)
            if where:
                searched.pods[what] = (str(where), set(names))  # type: ignore[arg-type]
        else:
            graph.put_volume(str(what), where, names)  # type: ignore[arg-type]
            searched.volumes.pop(str(what), None)
            if where is not None:
                secrets = {Vertex(SECRET, *each) for each in names}  # type: ignore[misc]
                searched.volumes[str(what)] = (Vertex(CLAIM, *where), secrets)  # type: ignore[misc]
        for vertex in (*PODS, *CLAIMS, *SECRETS, *(Vertex(VOLUME, "", name) for name in VOLUMES)):
            for node in NODES:
                assert graph.leads(vertex, node) is searched.leads(vertex, node), (vertex, node)
    for pod in PODS:
        graph.bind(pod, "")
    for volume in VOLUMES:
        graph.put_volume(volume, None)
    assert graph.is_empty
