"""What goes to Google's interface and what is made of its answers."""

import base64
import json

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import AnswerSchema, Completion, Message, ModelClient, ModelSettings, ToolSchema
from tests.scripted_model import Raw, Refuse, Say, ScriptedModel, Step
from tests.scripted_providers import google_answer, scripted_google

QUESTION = (Message("system", "Answer."), Message("user", "How many?"))
TOOL = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})
SCHEMA = AnswerSchema("list", {"type": "object", "properties": {}, "required": [], "additionalProperties": False})


def client_of(server: ScriptedModel, *, model: str = "small") -> ModelClient:
    return ModelClient(ModelSettings(f"google:{model}", server.url, timeout_s=5.0, max_retries=2))


def answer_to(step: Step) -> Completion:
    with scripted_google([step]) as server, client_of(server) as client:
        return client.complete(QUESTION)


def test_a_request_has_the_fields_of_the_interface() -> None:
    with scripted_google([Say("42")]) as server, client_of(server) as client:
        client.complete(QUESTION, max_tokens=50, stop=("Observation:",), temperature=1.5)
    (request,) = server.requests
    assert (request["model"], request["method"]) == ("small", "generateContent")
    assert request["contents"] == [{"role": "user", "parts": [{"text": "How many?"}]}]
    assert request["systemInstruction"]["parts"] == [{"text": "Answer."}]
    assert request["generationConfig"] == {
        "maxOutputTokens": 50,
        "temperature": 1.5,
        "stopSequences": ["Observation:"],
    }


def test_first_system_messages_are_joined_and_later_ones_the_users() -> None:
    turns = [Message("system", "a"), Message("system", "b"), Message("user", "c"), Message("assistant", "d")]
    with scripted_google([Say("42")]) as server, client_of(server) as client:
        client.complete([*turns, Message("system", "e"), Message("user", "f")])
    assert server.requests[0]["systemInstruction"]["parts"] == [{"text": "a\n\nb"}]
    assert server.requests[0]["contents"] == [
        {"role": "user", "parts": [{"text": "c"}]},
        {"role": "model", "parts": [{"text": "d"}]},
        {"role": "user", "parts": [{"text": "e"}, {"text": "f"}]},
    ]


def test_a_model_that_takes_no_instructions_is_told_them_by_the_user() -> None:
    script: list[Step] = [Refuse(400, "Developer instruction is not enabled for models/small"), Say("42")]
    with scripted_google(script) as server, client_of(server) as client:
        assert [client.complete(QUESTION, repeat=number).text for number in (0, 1)] == ["42", "42"]
    assert ["systemInstruction" in request for request in server.requests] == [True, False, False]
    assert server.requests[1]["contents"] == [{"role": "user", "parts": [{"text": "Answer."}, {"text": "How many?"}]}]


def test_no_turn_is_empty_and_pictures_stand_behind_their_text() -> None:
    with scripted_google([Say("42")]) as server, client_of(server) as client:
        client.complete([Message("user", "See:", pictures=(b"png",)), Message("assistant", " "), Message("user", "")])
    shown = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"png").decode()}}
    assert server.requests[0]["contents"][0]["parts"] == [{"text": "See:"}, shown]
    assert all(part["text"].strip() for turn in server.requests[0]["contents"][1:] for part in turn["parts"])


def test_calls_and_their_results_travel_with_the_thoughts_that_led_to_them() -> None:
    thought = base64.b64encode(b"thought").decode()
    call = {"name": "execute_code", "args": {"code": "1"}}
    first = Raw(google_answer([{"functionCall": call, "thoughtSignature": thought}, {"functionCall": call}]))
    with scripted_google([first, Say("done")]) as server, client_of(server) as client:
        answer = client.complete(QUESTION, tools=(TOOL,))
        one, two = answer.calls
        turns = [
            Message("assistant", answer.text, calls=answer.calls),
            Message("tool", "1", call_id=one.id),
            Message("user", "The figure:", pictures=(b"png",)),
            Message("tool", "2", call_id=two.id),
        ]
        assert client.complete([*QUESTION, *turns], tools=(TOOL,)).text == "done"
    (offered,) = server.requests[0]["tools"][0]["functionDeclarations"]
    assert (offered["name"], offered["parametersJsonSchema"]) == ("execute_code", TOOL.parameters)
    asked, told = server.requests[1]["contents"][1:]
    assert asked["parts"] == [{"functionCall": call, "thoughtSignature": thought}, {"functionCall": call}]
    kinds = [next(iter(part)) for part in told["parts"]]
    assert kinds == ["functionResponse", "functionResponse", "text", "inlineData"]
    assert told["parts"][0]["functionResponse"] == {"name": "execute_code", "response": {"result": "1"}}


def test_thoughts_are_no_part_of_the_answer_but_of_its_tokens() -> None:
    body = json.loads(google_answer([{"text": "hm", "thought": True}, {"text": "42"}]))
    body["usageMetadata"] |= {"thoughtsTokenCount": 30, "candidatesTokenCount": 2}
    answer = answer_to(Raw(json.dumps(body).encode()))
    assert (answer.text, answer.completion_tokens) == ("42", 32)


def test_a_schema_is_sent_and_done_without_where_it_is_refused() -> None:
    script: list[Step] = [
        Refuse(400, "response_json_schema is not known"),
        Refuse(400, "JSON mode is not enabled"),
        Say("[]"),
    ]
    with scripted_google(script) as server, client_of(server) as client:
        assert client.complete(QUESTION, schema=SCHEMA).text == "[]"
    configs = [request["generationConfig"] for request in server.requests]
    assert configs[0]["responseJsonSchema"] == SCHEMA.schema
    assert [each.get("responseMimeType") for each in configs] == ["application/json", "application/json", None]
    assert ["responseJsonSchema" in each for each in configs] == [True, False, False]


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason:UserWarning")
def test_what_is_withheld_is_empty_and_another_reason_keeps_its_word() -> None:
    blocked = Raw(json.dumps({"promptFeedback": {"blockReason": "SAFETY"}}).encode())
    withheld = ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")
    steps: list[Step] = [blocked, *(Say("I begin to", reason) for reason in withheld)]
    for step in steps:
        answer = answer_to(step)
        assert (answer.text, answer.finish_reason) == ("", "content_filter")
    for reason in ("MALFORMED_FUNCTION_CALL", "OTHER", "NEWLY_INVENTED"):
        assert answer_to(Say("x", reason)).finish_reason == reason.lower()


def test_how_likely_the_tokens_were_is_told_where_the_model_knows() -> None:
    refusal = Refuse(400, "Logprobs is not enabled for models/small")
    with scripted_google([Say("a", logprobs=(-1.0, -3.0)), refusal, Say("b")]) as server, client_of(server) as client:
        assert client.complete(QUESTION, has_logprobs=True).mean_logprob == -2.0
        assert client.complete(QUESTION, has_logprobs=True, repeat=1).mean_logprob is None
    asked = [request["generationConfig"].get("responseLogprobs") for request in server.requests]
    assert asked == [True, True, None]


def test_a_key_that_is_not_valid_is_named_with_its_variables() -> None:
    script = [Refuse(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID")]
    with scripted_google(script) as server, pytest.raises(ToolkitError, match="refused the key") as caught:
        client_of(server).complete(QUESTION)
    assert "GEMINI_API_KEY" in caught.value.fix


def test_texts_are_embedded_in_their_order() -> None:
    vectors = Raw(json.dumps({"embeddings": [{"values": [1.0, 0.0]}, {"values": [0.0, 1.0]}]}).encode())
    with scripted_google([Refuse(503, "busy"), vectors]) as server:
        assert client_of(server, model="embedder").embed(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]
    request = server.requests[-1]
    assert (request["model"], request["method"]) == ("embedder", "batchEmbedContents")
    assert [each["content"]["parts"] for each in request["requests"]] == [[{"text": "a"}], [{"text": "b"}]]
