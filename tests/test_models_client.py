"""The client against an endpoint on loopback that refuses in every known way."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolparam_lite.errors import ModelError, ReplyInterrupted
from toolparam_lite.models import OpenAIModel, Reply, ScriptedModel
from toolparam_lite.models.refusals import shown_address

KEY = "sk-abcdef1234567890"
ASK = [{"role": "user", "content": "你好"}]
USAGE = {
    "prompt_tokens": 30,
    "completion_tokens": 5,
    "total_tokens": 35,
    "prompt_tokens_details": {"cached_tokens": 24},
}

Answer = tuple[int, Any]


@dataclass
class Raw:
    """Bytes under the right content type, whatever they are."""

    data: bytes

    def kind(self, body: dict[str, Any]) -> str:
        return "text/event-stream" if body.get("stream") else "application/json"


class Endpoint:
    """A server that keeps what it was sent and answers what the test says."""

    def __init__(self, answer: Callable[[str, dict[str, Any]], Answer]) -> None:
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                endpoint.seen.append(body)
                endpoint.headers.append(
                    {name.lower(): value for name, value in self.headers.items()}
                )
                status, said = answer(self.path, body)
                self.send_response(status)
                if isinstance(said, Raw):
                    self.send_header("Content-Type", said.kind(body))
                    self.send_header("Content-Length", str(len(said.data)))
                    self.end_headers()
                    self.wfile.write(said.data)
                    return
                if isinstance(said, (dict, str)):
                    html = isinstance(said, str)
                    data = (said if html else json.dumps(said)).encode()
                    kind = "text/html" if html else "application/json"
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    return
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for event in said:
                    self.send_chunk(f"data: {json.dumps(event)}\n\n".encode())
                self.send_chunk(b"data: [DONE]\n\n")
                self.send_chunk(b"")

            def send_chunk(self, data: bytes) -> None:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        class Server(ThreadingHTTPServer):
            def handle_error(self, *args: Any) -> None:
                """A client that went away is what some of these tests are about."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def model(self, **options: Any) -> OpenAIModel:
        options = {"retries": 0, "timeout": 20.0, **options}
        return OpenAIModel(self.url, KEY, "some-model", **options)


@pytest.fixture
def serve() -> Iterator[Callable[..., Endpoint]]:
    made: list[Endpoint] = []

    def start(answer: Callable[[str, dict[str, Any]], Answer]) -> Endpoint:
        made.append(Endpoint(answer))
        return made[-1]

    yield start
    for endpoint in made:
        endpoint.server.shutdown()
        endpoint.server.server_close()


def whole(text: str | None, **message: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "whatever the server calls it",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": USAGE,
    }


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def refuse(message: str, **error: Any) -> dict[str, Any]:
    return {"error": {"message": message, **error}}


def test_a_reply_carries_text_tokens_and_the_asked_name(serve: Any) -> None:
    endpoint = serve(lambda path, body: (200, whole("你好！")))
    reply = endpoint.model().chat(ASK, max_tokens=7)
    assert reply.text == "你好！"
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (30, 5, 24)
    assert (reply.model, reply.live, reply.recorded_on) == ("some-model", True, None)
    assert endpoint.seen == [
        {"model": "some-model", "messages": ASK, "max_tokens": 7, "temperature": 0.0}
    ]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        pytest.param(
            401,
            refuse(f"Incorrect API key provided: {KEY}."),
            ["did not accept the key", "OPENAI_API_KEY"],
            id="wrong key, echoed by the server",
        ),
        pytest.param(
            401,
            refuse("Incorrect API key provided: sk-abcde***7890."),
            ["did not accept the key"],
            id="wrong key, half hidden by the server",
        ),
        pytest.param(403, refuse("no"), ["does not let this key"], id="no access"),
        pytest.param(
            404,
            refuse("The model does not exist"),
            ["OPENAI_MODEL", "ends in /v1"],
            id="no such model",
        ),
        pytest.param(429, refuse("slow down"), ["too many requests"], id="rate limit"),
        pytest.param(
            429,
            refuse("You exceeded your current quota"),
            ["no credit left", "embedded model"],
            id="credit is gone",
        ),
        pytest.param(
            400,
            refuse("too long", code="context_length_exceeded"),
            ["longer than 'some-model' can read", "mount fewer tools"],
            id="prompt too long",
        ),
        pytest.param(
            400,
            refuse("what is this"),
            ["refused the request", "what is this"],
            id="400",
        ),
        pytest.param(502, "<html>bad</html>", ["failed by itself (502)"], id="502"),
        pytest.param(
            200, "<html>a page</html>", ["no usable reply", "base"], id="a web page"
        ),
        pytest.param(200, {"choices": []}, ["no usable reply"], id="no choices"),
    ],
)
def test_a_refusal_says_what_to_do_and_never_the_key(
    serve: Any, status: int, body: Any, expected: list[str]
) -> None:
    endpoint = serve(lambda path, request: (status, body))
    with pytest.raises(ModelError) as caught:
        endpoint.model().chat(ASK)
    message = str(caught.value)
    for words in expected:
        assert words.lower() in message.lower()
    assert KEY not in message
    assert "sk-abcde" not in message
    shown = caught.value.__context__ and not caught.value.__suppress_context__
    assert not shown, "a traceback would print the client's own words"


def test_an_unreachable_endpoint_names_itself_without_its_password() -> None:
    model = OpenAIModel("http://me:secret@127.0.0.1:9/v1", KEY, "m", retries=0)
    with pytest.raises(
        ModelError, match=r"http://127\.0\.0\.1:9/v1 cannot be"
    ) as caught:
        model.chat(ASK)
    assert "secret" not in str(caught.value)


def test_a_silent_endpoint_times_out(serve: Any) -> None:
    release = threading.Event()

    def wait(path: str, body: dict[str, Any]) -> Answer:
        release.wait(20)
        return 200, whole("late")

    model = serve(wait).model(timeout=0.2)
    with pytest.raises(ModelError, match="did not answer in time"):
        model.chat(ASK)
    release.set()


def test_a_busy_endpoint_is_asked_again(serve: Any) -> None:
    answers = [(503, refuse("busy")), (200, whole("done"))]
    endpoint = serve(lambda path, body: answers.pop(0))
    assert endpoint.model(retries=1).chat(ASK).text == "done"


SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}}}


def test_a_schema_goes_along_where_it_is_taken(serve: Any) -> None:
    endpoint = serve(lambda path, body: (200, whole("{}")))
    endpoint.model().chat(ASK, schema=SCHEMA)
    sent = endpoint.seen[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == SCHEMA


def test_a_server_without_schemas_is_asked_about_it_once(serve: Any) -> None:
    def answer(path: str, body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            return 400, refuse("This response_format type is unavailable now")
        return 200, whole("{}")

    endpoint = serve(answer)
    model = endpoint.model()
    model.chat(ASK, schema=SCHEMA)
    model.chat(ASK, schema=SCHEMA)
    assert ["response_format" in body for body in endpoint.seen] == [True, False, False]


def test_one_bad_schema_does_not_cost_the_next_its_constraint(serve: Any) -> None:
    def answer(path: str, body: dict[str, Any]) -> Answer:
        sent = body.get("response_format")
        if sent and "pattern" in sent["json_schema"]["schema"]:
            return 400, refuse("Invalid schema for response_format")
        return 200, whole("{}")

    endpoint = serve(answer)
    model = endpoint.model()
    model.chat(ASK, schema={"type": "string", "pattern": "(?=x)"})
    model.chat(ASK, schema=SCHEMA)
    assert ["response_format" in body for body in endpoint.seen] == [True, False, True]


def test_newer_models_get_the_options_they_want(serve: Any) -> None:
    def answer(path: str, body: dict[str, Any]) -> Answer:
        for option in ("max_tokens", "temperature"):
            if option in body:
                return 400, refuse("Unsupported value", param=option)
        return 200, whole("{}")

    endpoint = serve(answer)
    model = endpoint.model()
    model.chat(ASK, max_tokens=9)
    model.chat(ASK, max_tokens=9)
    expected = {"model": "some-model", "messages": ASK, "max_completion_tokens": 9}
    assert endpoint.seen[-1] == expected
    assert len(endpoint.seen) == 4


def test_a_refused_request_without_options_is_not_sent_twice(serve: Any) -> None:
    endpoint = serve(lambda path, body: (400, refuse("no")))
    with pytest.raises(ModelError):
        endpoint.model().chat(ASK)
    assert len(endpoint.seen) == 1


def test_tools_pass_through_and_calls_come_back(serve: Any) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "weather", "arguments": '{"city": "北京"}'},
    }
    endpoint = serve(lambda path, body: (200, whole(None, tool_calls=[call])))
    tools = [{"type": "function", "function": {"name": "weather"}}]
    reply = endpoint.model().chat(ASK, tools=tools)
    assert endpoint.seen[0]["tools"] == tools
    assert (reply.text, reply.tool_calls) == ("", (call,))


def test_a_model_that_refuses_has_said_so(serve: Any) -> None:
    endpoint = serve(lambda path, body: (200, whole(None, refusal="I will not")))
    reply = endpoint.model().chat(ASK)
    assert (reply.text, reply.finish_reason) == ("I will not", "refusal")


def test_a_stream_adds_up_to_the_same_reply(serve: Any) -> None:
    def function(name: str | None, arguments: str, **more: Any) -> dict[str, Any]:
        said = {"name": name, "arguments": arguments}
        return {"index": 0, "function": said, **more}

    events = [
        piece(role="assistant", content=None),
        piece(content="你"),
        piece(content="好"),
        piece(tool_calls=[function("weather", "", id="c1", type="function")]),
        piece(tool_calls=[function(None, '{"city":')]),
        piece(tool_calls=[function(None, ' "北京"}')]),
        piece(finish="tool_calls"),
        {**piece(), "choices": [], "usage": USAGE},
    ]
    endpoint = serve(lambda path, body: (200, events))
    reply = endpoint.model().chat(ASK, cancel=threading.Event())
    assert endpoint.seen[0]["stream"] is True
    assert (reply.text, reply.finish_reason) == ("你好", "tool_calls")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (30, 5, 24)
    assert reply.tool_calls == (
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "weather", "arguments": '{"city": "北京"}'},
        },
    )


def test_stop_ends_a_reply_and_keeps_what_had_come(serve: Any) -> None:
    cancel, release = threading.Event(), threading.Event()

    def events() -> Iterator[dict[str, Any]]:
        yield piece(content="一")
        yield piece(content="二")
        cancel.set()
        release.wait(20)  # a server that goes silent must not keep us
        yield piece(content="三")

    model = serve(lambda path, body: (200, events())).model()
    with pytest.raises(ReplyInterrupted) as caught:
        model.chat(ASK, cancel=cancel)
    assert not release.is_set()
    assert "一二".startswith(caught.value.text)
    release.set()


def test_stop_before_the_start_sends_nothing(serve: Any) -> None:
    endpoint = serve(lambda path, body: (200, []))
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(ReplyInterrupted):
        endpoint.model().chat(ASK, cancel=cancel)
    assert endpoint.seen == []


def test_a_refused_stream_is_explained_too(serve: Any) -> None:
    endpoint = serve(lambda path, body: (401, refuse("no")))
    with pytest.raises(ModelError, match="did not accept the key"):
        endpoint.model().chat(ASK, cancel=threading.Event())


def test_a_stream_that_breaks_off_is_explained(serve: Any) -> None:
    def events() -> Iterator[Any]:
        yield piece(content="一")
        yield BrokenPipeError  # not JSON: the handler dies and the socket closes

    endpoint = serve(lambda path, body: (200, events()))
    with pytest.raises(ModelError, match="broke off"):
        endpoint.model().chat(ASK, cancel=threading.Event())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_an_answer_that_is_no_json_is_explained(serve: Any, stream: bool) -> None:
    endpoint = serve(lambda path, body: (200, Raw(b"data: {oops\n\n")))
    with pytest.raises(ModelError, match="no usable reply"):
        endpoint.model().chat(ASK, cancel=threading.Event() if stream else None)


def test_tokens_are_counted_at_the_servers_root(serve: Any) -> None:
    paths: list[str] = []

    def answer(path: str, body: dict[str, Any]) -> Answer:
        paths.append(path)
        return 200, {"tokens": [1, 2, 3]}

    assert serve(answer).model().count_tokens("你好") == 3
    assert paths == ["/tokenize"]


def test_a_server_that_cannot_count_says_so(serve: Any) -> None:
    endpoint = serve(lambda path, body: (404, refuse("not found")))
    with pytest.raises(ModelError, match="cannot count tokens"):
        endpoint.model().count_tokens("你好")


def test_loopback_is_reached_past_a_proxy(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    endpoint = serve(lambda path, body: (200, whole("here")))
    assert endpoint.model().chat(ASK).text == "here"


def test_a_model_goes_to_another_process_and_hides_its_key(serve: Any) -> None:
    endpoint = serve(lambda path, body: (200, whole("yes")))
    model = endpoint.model()
    model.chat(ASK)
    assert pickle.loads(pickle.dumps(model)).chat(ASK).text == "yes"
    assert KEY not in repr(model)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://u:p@api.example.com/v1?k=1", "https://api.example.com/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
    ],
)
def test_an_address_is_shown_without_secrets(address: str, shown: str) -> None:
    assert shown_address(address) == shown


def test_a_script_plays_the_model_and_remembers() -> None:
    model = ScriptedModel(["{}", Reply("x", tokens_in=3), ModelError("down")])
    assert model.chat(ASK, max_tokens=4).text == "{}"
    assert model.chat(ASK).tokens_in == 3
    with pytest.raises(ModelError, match="down"):
        model.chat(ASK)
    with pytest.raises(AssertionError, match="call 4"):
        model.chat(ASK)
    assert model.history[0] == {"messages": ASK, "max_tokens": 4}


def test_importing_the_wing_loads_no_heavy_library() -> None:
    code = (
        "import sys, toolparam_lite.models; "
        "print(*[m for m in ('openai', 'xllamacpp', 'tqdm', 'huggingface_hub') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
