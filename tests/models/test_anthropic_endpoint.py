"""What goes to Anthropic's interface and what is made of its answers."""

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import AnswerSchema, Completion, Message, ModelClient, ModelSettings, ToolSchema
from tests.scripted_model import Raw, Refuse, Say, ScriptedModel, Step
from tests.scripted_providers import anthropic_answer, scripted_anthropic

QUESTION = (Message("system", "Answer."), Message("user", "How many?"))
TOOL = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})
SCHEMA = AnswerSchema("list", {"type": "object", "properties": {}, "required": [], "additionalProperties": False})


def client_of(server: ScriptedModel, **more: int) -> ModelClient:
    return ModelClient(ModelSettings("anthropic:small", server.url, timeout_s=5.0, **more))


def answer_to(step: Step) -> Completion:
    with scripted_anthropic([step]) as server, client_of(server) as client:
        return client.complete(QUESTION)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def test_a_request_has_the_fields_of_the_interface() -> None:
    with scripted_anthropic([Say("42")]) as server, client_of(server) as client:
        client.complete(QUESTION, max_tokens=50, stop=("Observation:", "\n"), temperature=1.5)
    assert server.requests == [
        {
            "model": "small",
            "max_tokens": 50,
            "system": "Answer.",
            "messages": [{"role": "user", "content": [text("How many?")]}],
            "stop_sequences": ["Observation:"],
            "temperature": 1.0,
        }
    ]


def test_first_system_messages_are_joined_and_later_ones_the_users() -> None:
    turns = [Message("system", "a"), Message("system", "b"), Message("user", "c"), Message("assistant", "d")]
    with scripted_anthropic([Say("42")]) as server, client_of(server) as client:
        client.complete([*turns, Message("system", "e"), Message("user", "f")])
    assert server.requests[0]["system"] == "a\n\nb"
    assert server.requests[0]["messages"] == [
        {"role": "user", "content": [text("c")]},
        {"role": "assistant", "content": [text("d")]},
        {"role": "user", "content": [text("e"), text("f")]},
    ]


def test_a_begun_answer_and_its_stops_are_as_the_endpoint_takes_them() -> None:
    turns = [Message("user", "a"), Message("assistant", "Thought: ")]
    with scripted_anthropic([Say("one\ntwo")]) as server, client_of(server) as client:
        assert client.complete(turns, stop=("\n",)).text == "one"
    assert server.requests[0]["messages"][-1] == {"role": "assistant", "content": [text("Thought:")]}
    assert "stop_sequences" not in server.requests[0]


def test_calls_and_their_results_travel_results_first() -> None:
    first = Say("", calls=(("execute_code", {"code": "1"}), ("execute_code", {"code": "2"})))
    with scripted_anthropic([first, Say("done")]) as server, client_of(server) as client:
        answer = client.complete(QUESTION, tools=(TOOL,))
        one, two = answer.calls
        turns = [
            Message("assistant", answer.text, calls=answer.calls),
            Message("tool", "1", call_id=one.id),
            Message("user", "The figure:", pictures=(b"png",)),
            Message("tool", "", call_id=two.id),
        ]
        assert client.complete([*QUESTION, *turns], tools=(TOOL,)).text == "done"
    assert server.requests[0]["tools"] == [
        {"name": "execute_code", "description": "Runs code.", "input_schema": TOOL.parameters}
    ]
    asked, told = server.requests[1]["messages"][1:]
    assert asked["content"] == [
        {"type": "tool_use", "id": "toolu_1", "name": "execute_code", "input": {"code": "1"}},
        {"type": "tool_use", "id": "toolu_2", "name": "execute_code", "input": {"code": "2"}},
    ]
    assert [block["type"] for block in told["content"]] == ["tool_result", "tool_result", "text", "image"]
    assert told["content"][0] == {"type": "tool_result", "tool_use_id": "toolu_1", "content": [text("1")]}


def test_thoughts_go_back_before_the_calls_that_they_led_to() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "execute_code", "input": {"code": "1"}}
    answered = Raw(anthropic_answer([thought, text("I look."), call], "tool_use"))
    with scripted_anthropic([answered, Say("done")]) as server, client_of(server) as client:
        answer = client.complete(QUESTION, tools=(TOOL,))
        turns = [Message("assistant", answer.text, calls=answer.calls), Message("tool", "1", call_id="toolu_1")]
        client.complete([*QUESTION, *turns], tools=(TOOL,))
    assert answer.text == "I look."
    assert server.requests[1]["messages"][1]["content"] == [thought, text("I look."), call]


def test_a_schema_is_sent_and_done_without_where_it_is_refused() -> None:
    script: list[Step] = [Refuse(400, "output_config.format: not supported by this model"), Say("[]")]
    with scripted_anthropic(script) as server, client_of(server) as client:
        assert client.complete(QUESTION, schema=SCHEMA).text == "[]"
        client.complete(QUESTION, schema=SCHEMA, repeat=1)
    form = server.requests[0]["output_config"]["format"]
    assert form == {"type": "json_schema", "schema": SCHEMA.schema}
    assert ["output_config" in request for request in server.requests] == [True, False, False]


def test_every_reason_to_end_has_its_word_and_a_refusal_is_empty() -> None:
    ends = {"stop_sequence": "stop", "pause_turn": "stop", "model_context_window_exceeded": "length", "new": "new"}
    assert {reason: answer_to(Say("x", reason)).finish_reason for reason in ends} == ends
    answer = answer_to(Say("I begin to", "refusal"))
    assert (answer.text, answer.finish_reason) == ("", "content_filter")


def test_tokens_that_are_put_into_a_cache_are_the_prompts() -> None:
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 5}
    answer = answer_to(Raw(anthropic_answer([text("x")], usage=usage)))
    assert (answer.prompt_tokens, answer.cached_tokens, answer.completion_tokens) == (111, 100, 5)


def test_texts_are_not_embedded() -> None:
    with scripted_anthropic([Say("x")]) as server, pytest.raises(ToolkitError, match="embed") as caught:
        client_of(server).embed(["a"])
    assert "google:MODEL" in caught.value.fix
    assert server.requests == []
