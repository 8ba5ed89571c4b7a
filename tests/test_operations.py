"""The table of operations: what every row promises, and what is made from it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import operations
from memoro.cli.command_table import PROCESSES
from memoro.cli.run import parser_of
from memoro.errors import QueryError
from memoro.mcp import tools
from memoro.operations.exchange import ExportFormat
from memoro.operations.fields import Field, FieldSpec, specs
from memoro.operations.operation import AnyOperation, Caller
from memoro.operations.parameters import Parameter, parameter, parse, schema

TABLE = operations.table()


class Example(NamedTuple):
    text: Annotated[str, Field("A text.", words=True)]
    amount: Annotated[int | None, Field("A number.", "N", least=1, most=9)] = None
    share: Annotated[float, Field("A share.", least=0, most=1)] = 1.0
    loud: Annotated[bool, Field("Shout.")] = False
    kind: Annotated[Literal["red", "blue"] | None, Field("A colour.")] = None
    names: Annotated[tuple[str, ...], Field("Names.", "NAME")] = ()
    numbers: Annotated[tuple[int, ...], Field("Numbers.", "N,N", comma_separated=True)] = ()
    value: Annotated[object, Field("Anything.")] = None


def named(name: str) -> AnyOperation:
    return next(one for one in TABLE if one.name == name)


# The rows


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [one.name for one in TABLE]
    assert len(names) == len(set(names)) > 60
    assert len({one.tool_name for one in TABLE}) == len(names)
    assert not {name.partition(" ")[0] for name in names} & set(PROCESSES)


@pytest.mark.parametrize("operation", TABLE, ids=lambda one: one.name)
def test_a_row_is_complete(operation: AnyOperation) -> None:
    assert operation.summary.endswith((".", "…"))
    assert operation.result_name
    for spec in specs(operation.request):
        assert spec.field.help.endswith((".", "…")), f"{operation.name}: {spec.name} is not described"
    takes = {argument.name for argument in operation.tool.takes} if operation.tool else set()
    fixed = {name for name, _ in operation.tool.fixed} if operation.tool else set()
    assert takes | fixed <= {spec.name for spec in specs(operation.request)}


def test_what_only_a_person_may_do_is_no_tool() -> None:
    assert [one.name for one in TABLE if one.access == "admin" and one.tool] == []
    admin = {one.name for one in TABLE if one.access == "admin"}
    assert {"forget", "memory forget", "accept", "reject", "undo", "backup restore", "memory trust"} <= admin


def test_the_export_formats_are_those_that_can_be_rendered() -> None:
    from typing import get_args

    from memoro.ledger.exchange.export import RENDERERS

    assert list(get_args(ExportFormat)) == list(RENDERERS)


# Requests as types


def test_a_field_is_read_from_its_annotation() -> None:
    found = {spec.name: spec for spec in specs(Example)}
    assert [spec.name for spec in found.values() if spec.is_required] == ["text"]
    assert {name: spec.type for name, spec in found.items()} == {
        "text": "string", "amount": "integer", "share": "number", "loud": "boolean", "kind": "string",
        "names": "string", "numbers": "integer", "value": "any",
    }  # fmt: skip
    assert [name for name, spec in found.items() if spec.many] == ["names", "numbers"]
    assert found["kind"].values == ("red", "blue")


# Requests as JSON

EXAMPLE = [parameter(spec) for spec in specs(Example)]


def test_a_request_has_a_schema() -> None:
    made = schema(EXAMPLE)
    assert made["required"] == ["text"] and made["additionalProperties"] is False
    assert made["properties"]["amount"] == {
        "type": "integer", "minimum": 1, "maximum": 9, "description": "A number."
    }  # fmt: skip
    assert made["properties"]["kind"] == {"type": "string", "enum": ["red", "blue"], "description": "A colour."}
    assert made["properties"]["names"]["items"] == {"type": "string"}


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({}, "example needs 'text': A text."),
        ({"text": 5}, "'text' of example must be a string, not 5."),
        ({"text": "x", "amount": 10}, "'amount' of example must be from 1 to 9, not 10."),
        ({"text": "x", "kind": "green"}, "'kind' of example must be one of red, blue, not \"green\"."),
        ({"text": "x", "names": "a"}, "'names' of example must be a list of strings, not \"a\"."),
        ({"text": "x", "loud": "yes"}, "'loud' of example must be true or false, not \"yes\"."),
        ({"text": "x", "colour": 1}, "example has no argument 'colour'."),
    ],
)
def test_a_mistake_is_explained(given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(QueryError) as error:
        parse("example", EXAMPLE, given_)
    assert str(error.value).startswith(sentence)


@given(
    number=st.integers(0, 10**17), form=st.sampled_from(["{}", "[id:{}]", "memory:{}", "experience:{}", " id:{} "])
)
def test_a_number_is_understood_as_models_write_it(number: int, form: str) -> None:
    one = [Parameter("id", "integer", required=True)]
    assert parse("x", one, {"id": form.format(number)}) == {"id": number}
    assert parse("x", one, {"id": float(number)})["id"] == int(float(number))


@pytest.mark.parametrize(
    ("operation", "given_id", "number"),
    [
        ("memory reinforce", "memory:1", 1),
        ("memory reinforce", "experience:1", None),
        ("experience use", "experience:1", 1),
        ("experience use", "memory:1", None),
    ],
)
def test_the_id_of_another_kind_is_not_taken_for_a_number(operation: str, given_id: str, number: int | None) -> None:
    found = next(one for one in TABLE if one.name == operation)
    takes = [parameter(spec) for spec in specs(found.request) if spec.name == "id"]
    if number is not None:
        assert parse(operation, takes, {"id": given_id}) == {"id": number}
        return
    with pytest.raises(QueryError, match="must be a whole number"):
        parse(operation, takes, {"id": given_id})


def _values(spec: FieldSpec) -> st.SearchStrategy[Any]:
    one: st.SearchStrategy[Any] = {
        "string": st.sampled_from(spec.values) if spec.values else st.text(max_size=9),
        "integer": st.integers(int(spec.field.least or 0), int(spec.field.most or 99)),
        "number": st.floats(spec.field.least or 0, spec.field.most or 1),
        "boolean": st.booleans(),
        "any": st.text(max_size=9) | st.integers() | st.lists(st.integers(), max_size=3),
    }[spec.type]
    return st.lists(one, max_size=3) if spec.many else one


@given(operation=st.sampled_from(TABLE), data=st.data())
def test_every_request_survives_its_way_through_json(operation: AnyOperation, data: st.DataObject) -> None:
    wanted = [spec for spec in specs(operation.request) if spec.is_required or data.draw(st.booleans())]
    values = {spec.name: data.draw(_values(spec)) for spec in wanted}
    sent = json.loads(json.dumps(values))
    checked = parse(operation.name, [parameter(spec) for spec in specs(operation.request)], sent)
    request = operation.request(**checked)
    for spec in wanted:
        value = values[spec.name]
        assert getattr(request, spec.name) == (tuple(value) if spec.many else value)


# Requests as arguments


@pytest.mark.parametrize("operation", TABLE, ids=lambda one: one.name)
def test_every_field_of_a_request_is_an_argument_of_its_command(operation: AnyOperation) -> None:
    command, _, action = operation.name.partition(" ")
    parser = parser_of(command)
    inner: argparse.ArgumentParser = parser
    for one in parser._actions:
        if action and isinstance(one, argparse._SubParsersAction):
            inner = one.choices[action]
    known = {one.dest for one in inner._actions}
    for spec in specs(operation.request):
        is_argument = not spec.field.internal and (spec.field.positional or not spec.field.stdin)
        assert (spec.name in known) is is_argument
    assert {f"caller_{one.name}" for one in operation.options} <= known
    assert "json" in known


# Calls


def test_operations_are_called_with_requests_and_give_documents(home: Path, vault: Path) -> None:
    (vault / "tea.md").write_text("Green tea is brewed at 80 degrees.\n")
    with memoro.open(home, vault) as m:

        def call(name: str, **fields: Any) -> Any:
            operation = named(name)
            result = operation.call(m, operation.request(**fields), Caller(source="agent", session="s1"))
            document = operation.document(result)
            assert document == json.loads(json.dumps(document))
            return document

        assert call("search", query="tea")["results"][0]["path"] == "tea.md"
        assert call("memory store", content="The kettle is red")["id"] == 1
        assert call("memory reinforce", id=1)["feedback"] == 3
        assert call("memory query", query="kettle")["results"][0]["id"] == 1
        assert [one["operation"] for one in call("log")["changes"]] == ["reinforce", "store"]
        assert call("recall", message="how is green tea brewed")["items"]
        assert call("status")["proposals"] == 0


def test_a_tool_makes_the_request_of_its_operation() -> None:
    tool = next(one for one in tools.all_tools() if one.name == "search")
    request = tool.request({"query": "tea", "kind": "note"})
    assert request == named("search").request(query="tea", kind=("note",), limit=6)
    get = next(one for one in tools.all_tools() if one.name == "get")
    assert get.request({"id": " [id:5] "}) == named("get").request(id="memory:5")
    recall = next(one for one in tools.all_tools() if one.name == "recall")
    assert recall.request({"message": "x"}).repeat is True
