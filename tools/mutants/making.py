"""Make mutants of a source file: one small wrong edit each, by its syntax tree."""

from __future__ import annotations

import ast
from typing import NamedTuple

_FLIPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_SWAPPED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
}
_DEFAULTS = {"bool": "False", "str": '""', "int": "0", "float": "0.0", "list": "[]", "tuple": "()", "set": "set()"}
_DEFAULTS |= {"dict": "{}", "frozenset": "frozenset()", "Iterator": "iter(())"}

# An edit of these changes what a person reads, how fast an answer comes, or nothing.
_WORDING = frozenset({"__repr__", "__str__", "__rich__"})
_LOGGING = frozenset({"debug", "info", "warning", "exception", "log"})
_TEXTS = frozenset({"message", "help", "maxsize", "encoding", "errors"})


class Edit(NamedTuple):
    """The characters from `start` to `end` of the source become `text`."""

    operator: str
    start: int
    end: int
    text: str
    line: int
    function: tuple[str, int] | None  # qualified name and first line of the outermost function; None: run at import


def edits(source: str) -> list[Edit]:
    """Return every edit that can be made to the source, in its order."""
    walk = _Walk(source)
    walk.visit(ast.parse(source))
    return sorted(walk.found, key=lambda edit: (edit.start, edit.end, edit.operator))


def edited(source: str, edit: Edit) -> str:
    return source[: edit.start] + edit.text + source[edit.end :]


class _Walk(ast.NodeVisitor):
    """Collects edits, and leaves out types, messages, logging and decorators."""

    def __init__(self, source: str) -> None:
        self.found: list[Edit] = []
        self._source = source
        self._lines = source.split("\n")  # as the parser counts them: a string may hold other ends of lines
        self._line_starts = [0]
        for line in self._lines:
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._function: tuple[str, int] | None = None
        self._classes: list[str] = []
        self._returns: list[str | None] = []

    # Places

    def _at(self, line: int, column: int) -> int:
        return self._line_starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._source[self._start(node) : self._end(node)]

    def _add(self, operator: str, node: ast.expr | ast.stmt, text: str) -> None:
        self._add_between(operator, (self._start(node), self._end(node)), text, node.lineno)

    def _add_between(self, operator: str, span: tuple[int, int], text: str, line: int) -> None:
        self.found.append(
            Edit(operator=operator, start=span[0], end=span[1], text=text, line=line, function=self._function)
        )

    def _add_sign(self, operator: str, left: ast.expr, right: ast.expr, signs: tuple[str, str]) -> None:
        """Replace the sign between two operands, with whatever parentheses stand around it."""
        start, end = self._end(left), self._start(right)
        between = self._source[start:end]
        if between.count(signs[0]) == 1 and "#" not in between:
            text = between.replace(*signs)
            self._add_between(operator, (start, end), text, self._line_of(start + between.index(signs[0])))

    def _line_of(self, offset: int) -> int:
        return self._source.count("\n", 0, offset) + 1

    # What is left alone

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._condition(node.test)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts for people alone."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave the wording of an error alone; `_block` makes the error go away."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave what narrows a type alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in _WORDING:
            return
        for default in (*node.args.defaults, *(one for one in node.args.kw_defaults if one)):
            self.visit(default)
        outermost = self._function is None
        if outermost:
            first = min((one.lineno for one in node.decorator_list), default=node.lineno)
            self._function = (".".join((*self._classes, node.name)), first)
        self._returns.append(_default_of(node.returns))
        self._block(node.body)
        for statement in node.body:
            self.visit(statement)
        self._returns.pop()
        if outermost:
            self._function = None

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._returns.append(None)
        self.visit(node.body)
        self._returns.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._classes.pop()

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if not isinstance(node.value, ast.Name) or not node.value.id[:1].isupper():  # such as Callable[[int], str]
            self.visit(node.slice)

    # Edits

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            self._add_sign("comparison flipped", node.left, node.comparators[0], _FLIPPED[type(node.ops[0])])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        signs = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._add_sign("and/or swapped", node.values[-2], node.values[-1], signs)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add("not removed", node, f"({self._text(node.operand)})")
            self.generic_visit(node)
        elif not (isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)):
            self.generic_visit(node)
        else:
            self._constant(node, -node.operand.value if _is_number(node.operand.value) else None)

    def visit_Constant(self, node: ast.Constant) -> None:
        self._constant(node, node.value)

    def _constant(self, node: ast.expr, value: object) -> None:
        if isinstance(value, float):
            self._add("constant changed", node, repr(value * 0.5 if value else 1.0))
        elif isinstance(value, int) and not isinstance(value, bool):
            self._add("constant changed", node, str(value + 1))
            self._add("constant changed", node, f"({value - 1})" if value < 1 else str(value - 1))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in _SWAPPED and not any(_is_text(one) for one in (node.left, node.right)):
            self._add_sign("arithmetic swapped", node.left, node.right, _SWAPPED[type(node.op)])
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _LOGGING:
            return
        if name in ("min", "max"):
            self._add("min/max swapped", node.func, "max" if name == "min" else "min")
        self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg not in _TEXTS:
                self.visit(keyword.value)

    def visit_Return(self, node: ast.Return) -> None:
        default = self._returns[-1] if self._returns else None
        if node.value and default and self._text(node.value) not in (default, "None", "0", "set()", '""'):
            self._add("default returned", node, f"return {default}")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            if not any(isinstance(one, ast.NamedExpr) for one in ast.walk(test)):
                self._add("condition always true", test, "True")
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        if not any(isinstance(one, ast.NamedExpr) for one in ast.walk(test)):  # the name would be unknown below
            self._add("condition always true", test, "True")
            self._add("condition always false", test, "False")

    def generic_visit(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and self._function:
                self._block(block)
        super().generic_visit(node)

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if _has_effect(statement):
                self._add("statement removed", statement, "pass")


def _has_effect(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))) if name in _LOGGING:
            return False
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            return True
        case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete():
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
    return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _default_of(returns: ast.expr | None) -> str | None:
    """Return the plainest value of an annotation, or None where there is none."""
    match returns:
        case ast.Constant(value=str() as quoted):
            return _default_of(ast.parse(quoted, mode="eval").body)
        case ast.BinOp(op=ast.BitOr(), right=ast.Constant(value=None)):
            return "None"
        case ast.Subscript(value=ast.Name(id=name)) | ast.Name(id=name):
            return _DEFAULTS.get(name)
    return None
