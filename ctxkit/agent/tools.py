"""`tool`: a typed Python function as a tool that a model can call.

Contract: the schema comes from the annotations, the description from the docstring; arguments that a model
makes up are checked against the annotations, `Annotated` included, before the function runs (by pydantic,
which every client library uses too). A call never raises: what goes wrong becomes a result that says so,
because the model can often mend it. Synchronous functions run in a thread, so that several run at the same
time.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints


@dataclass(frozen=True)
class Tool:
    """A function that a model can call.

    name, description: shown to the model. schema: OpenAI's function form, which Ollama takes too. function:
    what runs.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    function: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    async def run(self, arguments: Mapping[str, Any]) -> str:
        """Call the function with a model's arguments; gives its result as text, and a failure too."""
        import asyncio

        from pydantic import ValidationError

        try:
            try:
                values = _checked(self.function, arguments)
            except ValidationError as error:
                faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
                return f"Error: wrong arguments for {self.name}: {faults}"
            if inspect.iscoroutinefunction(self.function):
                return _as_text(await self.function(**values))
            return _as_text(await asyncio.to_thread(self.function, **values))
        except (Exception, SystemExit) as error:  # a command line's parser, for one, ends by SystemExit
            return f"Error: {self.name} failed: {type(error).__name__}: {error}"


def tool(function: Callable[..., Any]) -> Tool:
    """Make a tool of a function with annotated parameters and a docstring.

    Raises TypeError for something that is no named function, and naming the parameter for one without an
    annotation, or that can't be given by name.

    >>> @tool
    ... def calculator(expression: str) -> str:
    ...     \"\"\"Work out an expression such as 200 * 0.15.\"\"\"
    ...     return "30.0"
    >>> calculator.name, calculator.schema["function"]["parameters"]["required"]
    ('calculator', ['expression'])
    """
    if not callable(function) or not hasattr(function, "__name__"):
        raise TypeError(f"tool: expected a function, got {type(function).__name__}; write one with def")
    description = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    name = function.__name__
    schema = _arguments_model(function).model_json_schema()
    parameters = {key: value for key, value in schema.items() if key != "title"}
    parameters.setdefault("properties", {})
    for value in parameters["properties"].values():
        value.pop("title", None)
    form = {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
    return Tool(name, description, form, function)


def _checked(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments as the function's annotations want them, or a ValidationError."""
    model = _arguments_model(function)
    checked = model.model_validate(dict(arguments))
    return {field.alias: getattr(checked, name) for name, field in model.model_fields.items()}


def _arguments_model(function: Callable[..., Any]) -> Any:
    """The pydantic model of a function's parameters.

    Their names are aliases of its fields: as names of fields, `schema` or `_id` would be in pydantic's way.
    """
    from pydantic import ConfigDict, Field, create_model

    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(
                f"tool {function.__name__}: {name}: a model gives arguments by name, so it cannot fill "
                "*args, **kwargs or what stands before a /"
            )
        if name not in hints:
            raise TypeError(
                f"tool {function.__name__}: parameter {name!r} needs an annotation, such as {name}: str"
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[f"parameter_{len(fields)}"] = (Annotated[hints[name], Field(alias=name)], default)
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)
