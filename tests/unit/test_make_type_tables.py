"""The generator of the tables of types, on a made-up group: what facts tell is taken, what they do not tell stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_type_tables
import pytest

HEAD = '"""The types of toys/v1; see typetables/__init__.py for the notation."""\n\nTABLE = """\n'
TABLE = """\
Colour = string enum(Blue|Red)
Toy kind: metadata meta.ObjectMeta? 1, spec ToySpec? 2
ToySpec: colour *Colour? 2 ="Red", name string 1!, wheels []Wheel? 3 map(name) patch(merge|name),
  ~Weight 4
Weight: grams int32 1
Wheel: name string 1!
"""
META = "k8s.io.apimachinery.pkg.apis.meta.v1"
Facts = dict[str, Any]


def message(**fields: tuple[int, str]) -> list[Facts]:
    """By name: the number, and the type with `[]` before that of a list."""
    return [
        {"n": number, "name": name, "type": text.removeprefix("[]"), **({"repeated": True} if text[:2] == "[]" else {})}
        for name, (number, text) in fields.items()
    ]


def struct(required: list[str], **properties: Facts) -> Facts:
    return {"type": "object", "required": required, "properties": properties}


def reference(name: str) -> Facts:
    return {"allOf": [{"$ref": f"#/components/schemas/io.k8s.api.toys.v1.{name}"}]}


@pytest.fixture
def messages() -> dict[str, list[Facts]]:
    return {
        f"{META}.ObjectMeta": message(name=(1, "string")),
        "k8s.io.api.toys.v1.Toy": message(metadata=(1, f".{META}.ObjectMeta"), spec=(2, "ToySpec")),
        "k8s.io.api.toys.v1.ToyList": message(items=(2, "[]Toy")),
        "k8s.io.api.toys.v1.ToySpec": message(
            name=(1, "string"), colour=(2, "string"), wheels=(3, "[]Wheel"), weight=(4, "Weight")
        ),
        "k8s.io.api.toys.v1.Weight": message(grams=(1, "int32")),
        "k8s.io.api.toys.v1.Wheel": message(name=(1, "string")),
    }


@pytest.fixture
def schemas() -> dict[str, Facts]:
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    patch = {"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}
    grams = {"type": "integer", "format": "int32", "default": 0}
    return {
        "Toy": struct([], metadata={"default": {}}, spec={"default": {}, **reference("ToySpec")})
        | {"x-kubernetes-group-version-kind": [{"group": "toys", "version": "v1", "kind": "Toy"}]},
        "ToySpec": struct(
            ["name"],
            name={"type": "string", "default": ""},
            colour={"type": "string", "default": "Red", "enum": ["Blue", "Red"]},
            wheels={"type": "array", "items": reference("Wheel"), **keyed, **patch},
            grams=grams,
        ),
        "Weight": struct([], grams=grams),
        "Wheel": struct(["name"], name={"type": "string", "default": ""}),
    }


class World:
    """A folder of facts and one of tables."""

    def __init__(self, folder: Path, messages: dict[str, list[Facts]], schemas: dict[str, Facts]) -> None:
        self.facts, self.tables = folder / "facts", folder / "tables"
        self.facts.mkdir()
        self.tables.mkdir()
        self.messages, self.schemas = messages, schemas
        (self.tables / "__init__.py").touch()
        self.set_table(TABLE)

    def set_table(self, text: str) -> None:
        (self.tables / "toys.py").write_text(f'{HEAD}{text}"""\n')

    def spec(self) -> Facts:
        """The properties of ToySpec."""
        return self.schemas["ToySpec"]["properties"]

    def run(self, *flags: str) -> int:
        components = {"schemas": {f"io.k8s.api.toys.v1.{name}": schema for name, schema in self.schemas.items()}}
        documents = {"documents": {"apis/toys/v1": {"components": components}, "apis": "not to be had"}}
        (self.facts / "protobuf-fields.json").write_text(json.dumps(self.messages))
        (self.facts / "openapi-v3.json").write_text(json.dumps(documents))
        return make_type_tables.main(["--facts", str(self.facts), "--tables", str(self.tables), *flags])

    def made(self) -> str:
        """The table that the facts make of the one that stands."""
        assert self.run("--write") == 0
        return (self.tables / "toys.py").read_text().removeprefix(HEAD).removesuffix('"""\n')


@pytest.fixture
def world(tmp_path: Path, messages: dict[str, list[Facts]], schemas: dict[str, Facts]) -> World:
    return World(tmp_path, messages, schemas)


def test_a_table_that_agrees_stays_as_it_is(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert world.run() == 0
    assert capsys.readouterr().out == ""
    assert world.made() == TABLE


def test_a_difference_is_told_and_nothing_is_written(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.spec()["colour"]["default"] = "Blue"
    assert world.run() == 1
    added = [line for line in capsys.readouterr().out.splitlines() if line.startswith("+ToySpec")]
    assert len(added) == 1
    assert added[0].startswith('+ToySpec: colour *Colour? 2 ="Blue", name string 1!, wheels []Wheel? 3 map(name)')
    assert (world.tables / "toys.py").read_text() == f'{HEAD}{TABLE}"""\n'


def test_a_new_field_comes_last_with_its_type(world: World) -> None:
    world.messages["k8s.io.api.toys.v1.Wheel"] += message(size=(5, "int32"), rim=(3, "Rim"))
    world.messages["k8s.io.api.toys.v1.Rim"] = message(of=(1, "map<string, bytes>"))
    world.schemas["Wheel"]["properties"] |= {"rim": reference("Rim"), "size": {"type": "integer"}}
    world.schemas["Rim"] = struct([], of={"type": "object", "x-kubernetes-map-type": "atomic"})
    made = world.made().splitlines()
    assert "Wheel: name string 1!, rim *Rim? 3, size *int32? 5" in made
    assert made[:2] == ["Colour = string enum(Blue|Red)", "Rim: of map[string][]byte? 1 atomic"]


def test_a_new_enum_gets_a_type(world: World) -> None:
    world.messages["k8s.io.api.toys.v1.Wheel"] += message(side=(2, "string"))
    world.schemas["Wheel"]["properties"]["side"] = {"type": "string", "enum": ["Left", "Right"]}
    made = world.made().splitlines()
    assert "Wheel: name string 1!, side *WheelSide? 2" in made
    assert "WheelSide = string enum(Left|Right)" in made


def test_what_is_gone_goes(world: World) -> None:
    del world.messages["k8s.io.api.toys.v1.Wheel"]
    del world.schemas["Wheel"], world.spec()["wheels"]
    world.messages["k8s.io.api.toys.v1.ToySpec"].pop(2)
    assert 'ToySpec: colour *Colour? 2 ="Red", name string 1!, ~Weight 4\nWeight: grams int32 1\n' in world.made()


def test_words_follow_the_facts(world: World) -> None:
    world.spec()["wheels"] = {"type": "array", "x-kubernetes-list-type": "atomic"}
    world.spec()["colour"]["enum"] = ["Blue", "Red", "Dark Red"]
    world.schemas["ToySpec"]["required"] = ["name", "colour"]
    world.schemas["Wheel"]["x-kubernetes-map-type"] = "atomic"
    made = world.made()
    assert "Colour = string enum(Blue|Red|Dark_Red)" in made
    assert 'ToySpec: colour *Colour? 2! ="Red", name string 1!, wheels []Wheel? 3 atomic, ~Weight 4' in made
    assert "Wheel atomic: name string 1!" in made


def test_a_new_kind_is_added_without_its_list(world: World) -> None:
    world.set_table("Wheel: name string 1!\n")
    made = world.made()
    assert made.startswith("Toy kind: metadata meta.ObjectMeta? 1, spec ToySpec? 2\n")
    assert "ToySpecColour = string enum(Blue|Red)" in made
    assert "ToyList" not in made
    assert "wheels []Wheel? 3 map(name) patch(merge|name), ~Weight 4" in made


def test_a_group_that_the_facts_do_not_have_stays(world: World) -> None:
    world.messages = {}
    assert world.made() == TABLE


def test_long_types_break_at_the_width(world: World) -> None:
    world.spec()["colour"]["enum"] = [f"Colour{number:02}" for number in range(40)]
    made = world.made()
    assert max(len(line) for line in made.splitlines()) <= 120
    assert world.made() == made
    assert "Colour39)" in made
