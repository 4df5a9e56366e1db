"""Answers that come in pieces, and structured outputs, from endpoints that know them or not."""

from collections.abc import Sequence

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import AnswerSchema, Completion, Message, ModelClient, ModelSettings
from evaluator.models.exchange import MAX_ANSWER_CHARS
from tests.scripted_model import Drop, Raw, Refuse, Say, ScriptedModel, Step, Stream, scripted_model

QUESTION = (Message("user", "Give a list in JSON."),)
SCHEMA = AnswerSchema("list", {"type": "object", "properties": {}, "required": [], "additionalProperties": False})


def stream(server: ScriptedModel, told: list[int], *, retries: int = 3, timeout_s: float = 5.0) -> Completion:
    settings = ModelSettings("small", server.url, timeout_s=timeout_s, max_retries=retries)
    with ModelClient(settings) as client:
        return client.complete(QUESTION, max_tokens=50, on_progress=told.append)


def failure(script: Sequence[Step], **options: float) -> ToolkitError:
    with scripted_model(script) as server, pytest.raises(ToolkitError) as caught:
        stream(server, [], retries=int(options.get("retries", 1)), timeout_s=options.get("timeout_s", 5.0))
    assert caught.value.fix
    return caught.value


def test_a_streamed_answer_is_put_together_and_its_progress_told() -> None:
    told: list[int] = []
    with scripted_model([Say("Länge in Stücken", "length", 7, 3, cached_tokens=5)]) as server:
        answer = stream(server, told)
    assert (answer.text, answer.cut_off) == ("Länge in Stücken", True)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 3, 5)
    assert told[-1] == len(answer.text)
    assert server.requests[0]["stream"] is True


def test_an_endpoint_that_answers_whole_all_the_same_is_understood() -> None:
    told: list[int] = []
    with scripted_model([Say("whole", streams=False)]) as server:
        assert stream(server, told).text == "whole"
    assert len(server.requests) == 1


def test_an_endpoint_that_refuses_to_stream_is_asked_plainly_from_then_on() -> None:
    script: list[Step] = [
        Refuse(400, "stream_options is not known"),
        Refuse(422, "streaming is not supported"),
        Say("plain"),
    ]
    with scripted_model(script) as server, ModelClient(ModelSettings("small", server.url)) as client:
        assert [client.complete(QUESTION, on_progress=lambda _: None, repeat=n).text for n in (0, 1)] == ["plain"] * 2
    assert ["stream" in request for request in server.requests] == [True, True, False, False]


def test_a_stream_that_breaks_off_is_asked_for_again_and_at_last_without_a_stream() -> None:
    script: list[Step] = [Stream(("half an", " ans"), ends=False), Drop(after_bytes=200), Say("whole")]
    with scripted_model(script) as server:
        assert stream(server, []).text == "whole"
    assert ["stream" in request for request in server.requests] == [True, True, False]


def test_a_stream_that_ends_in_an_error_says_so() -> None:
    said = failure([Stream(("half",), ends=False, error="the model is overloaded")], retries=0).what
    assert "overloaded" in said


def test_a_stream_that_breaks_off_every_time_ends_in_a_sentence() -> None:
    assert "ended before the answer did" in failure([Stream(("x",), ends=False)], retries=1).what


def test_a_stream_that_drips_runs_into_the_time_limit() -> None:
    assert "no answer in 0.4 s" in failure([Stream(("x",) * 1000, 0.02)], retries=0, timeout_s=0.4).what


def test_an_endless_stream_is_cut() -> None:
    with scripted_model([Stream(("y" * 500_000,) * 9)]) as server:
        answer = stream(server, [])
    assert (len(answer.text), answer.cut_off) == (MAX_ANSWER_CHARS, True)


@pytest.mark.parametrize(
    "body", [b"data: {not json\n\n", b"data: [1]\n\n", b"data: null\n\ndata: 7\n\n", b"\xff\xfe", b": nothing\n\n", b""]
)
def test_a_stream_of_something_else_ends_in_a_sentence(body: bytes) -> None:
    error = failure([Raw(body, "text/event-stream")], retries=0)
    assert "Traceback" not in str(error)


def test_what_a_listener_raises_reaches_the_caller() -> None:
    def leave(_chars: int) -> None:
        raise KeyboardInterrupt

    with scripted_model([Say("never mind")]) as server, pytest.raises(KeyboardInterrupt):
        ModelClient(ModelSettings("small", server.url)).complete(QUESTION, on_progress=leave)


def test_a_schema_is_sent_and_done_without_where_it_is_refused() -> None:
    script: list[Step] = [
        Refuse(400, "response_format.type 'json_schema' is not supported"),
        Refuse(422, "Input should be 'text': response_format"),
        Say("[]"),
    ]
    with scripted_model(script) as server, ModelClient(ModelSettings("small", server.url)) as client:
        assert client.complete(QUESTION, schema=SCHEMA).text == "[]"
        client.complete(QUESTION, schema=SCHEMA, repeat=1)
    forms = [request.get("response_format", {}).get("type") for request in server.requests]
    assert forms == ["json_schema", "json_object", None, None]
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA.schema


def test_a_request_without_a_schema_asks_for_no_form() -> None:
    with scripted_model([Say("free")]) as server, ModelClient(ModelSettings("small", server.url)) as client:
        client.complete(QUESTION)
    assert set(server.requests[0]) == {"model", "messages", "max_tokens", "temperature"}
