"""What an endpoint takes: the first request asks for everything; a refusal that names a part teaches to do without."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluator.models.exchange import Message, ModelRequest

Form = Literal["json_schema", "json_object", "none"]
NEXT_FORM: dict[Form, Form] = {"json_schema": "json_object", "json_object": "none"}
FORM_WORDS = ("response_format", "json_schema", "json_object", "structured output")


@dataclass(frozen=True)
class Manners:
    """What an endpoint was not yet found to refuse."""

    tokens_name: str = "max_tokens"  # max_completion_tokens where the endpoint asks for it
    takes_temperature: bool = True
    form: Form = "json_schema"  # the strictest structured output that may work
    streams: bool = True
    counts_streams: bool = True  # tells the tokens of a streamed answer when asked to

    def body(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        """Return the fields of a request beside the model's name."""
        body: dict[str, Any] = {"messages": _turns(request.messages), self.tokens_name: request.max_tokens}
        if self.takes_temperature:
            body["temperature"] = request.temperature
        if request.schema and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif request.schema and self.form == "json_schema":
            wanted = {"name": request.schema.name, "schema": request.schema.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if stream and self.streams:
            body["stream"] = True
            if self.counts_streams:
                body["stream_options"] = {"include_usage": True}
        return body

    def after(self, said: str, body: dict[str, Any]) -> "Manners | None":
        """Return how to ask instead, after a refusal of this body; None: it names nothing that could be left out."""
        if "max_completion_tokens" in said and "max_tokens" in body:
            return replace(self, tokens_name="max_completion_tokens")
        if "response_format" in body and any(word in said.lower() for word in FORM_WORDS):
            return replace(self, form=NEXT_FORM.get(self.form, "none"))
        if "stream_options" in body and "stream_options" in said:
            return replace(self, counts_streams=False)
        if "stream" in body and "stream" in said.lower():
            return replace(self, streams=False)
        if "temperature" in body and "temperature" in said:
            return replace(self, takes_temperature=False)
        return None


def _turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    # half characters, which data files hold now and then, cannot be sent
    return [{"role": m.role, "content": m.content.encode("utf-8", "replace").decode("utf-8")} for m in messages]
