"""The client that asks any OpenAI-compatible endpoint.

The only file that imports `openai`, and only when the first request is sent.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..errors import ModelError, ReplyInterrupted
from .protocol import Message, Model, Reply, ScriptedModel
from .refusals import blames_schema, explain, refused_option, shown_address

__all__ = ["Message", "Model", "OpenAIModel", "Reply", "ScriptedModel"]

_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


class OpenAIModel:
    """A model behind any OpenAI-compatible endpoint.

    Args: `base_url` up to and with `/v1`; `api_key` may be empty for a server of
    your own; `timeout` in seconds for one answer; `retries` for busy or broken
    connections. An option that the server refuses (a JSON schema, for instance) is
    left out, once found, for the life of this object. Raises `ModelError`.

    >>> model = OpenAIModel("http://127.0.0.1:8080/v1", "", "qwen")
    >>> model.chat([{"role": "user", "content": "你好"}]).text  # doctest: +SKIP

    Explained in notebooks/00 §3.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        model: str,
        *,
        timeout: float = 120.0,
        retries: int = 2,
    ) -> None:
        self.name = model
        self.base_url = base_url.rstrip("/")
        self._key = api_key or ""
        self._timeout = timeout
        self._retries = retries
        self._taken: frozenset[str] = frozenset()
        self._without: frozenset[str] = frozenset()
        self._connection: tuple[int, Any] | None = None

    @property
    def identity(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"OpenAIModel({shown_address(self.base_url)!r}, model={self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_connection": None}

    def chat(
        self,
        messages: list[Message],
        *,
        schema: dict[str, Any] | None = None,
        tools: list[dict[str, Any]] | None = None,
        max_tokens: int = 512,
        temperature: float = 0.0,
        cancel: threading.Event | None = None,
        sample: int = 0,
    ) -> Reply:
        """Ask once and return the reply; with `cancel`, stop within a token or two.

        Args: `messages` in OpenAI form; `schema`, a JSON Schema that constrains the
        text; `tools`, passed through as they are; `cancel`, an event that another
        thread may set. Raises `ReplyInterrupted` (with `.text`) when cancelled and
        `ModelError` for all that the endpoint refuses.
        """
        import openai

        request: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        if tools:
            request["tools"] = tools
        if schema is not None:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "arguments", "schema": schema},
            }
        if cancel is not None:
            request["stream_options"] = {"include_usage": True}

        started = time.perf_counter()
        without, lasting = self._without, self._without
        while True:
            body = _leave_out(request, without)
            try:
                reply = self._ask(body) if cancel is None else self._read(body, cancel)
                break
            except openai.OpenAIError as error:
                option = refused_option(error, body)
                if option is None:
                    raise self._explain(error) from None
                without |= {option}
                # One schema that cannot be compiled says nothing about the next.
                if option not in self._taken and not blames_schema(error):
                    lasting |= {option}
        self._without = lasting
        self._taken |= body.keys()
        seconds = round(time.perf_counter() - started, 3)
        return replace(reply, model=self.name, seconds=seconds)

    def count_tokens(self, text: str) -> int:
        """Ask a llama.cpp server how many tokens `text` is.

        Raises `ModelError` where the server has no `/tokenize`: hosted ones mostly
        have none, and then `Reply.tokens_in` is the count to look at.
        """
        import openai

        root = self.base_url.removesuffix("/v1")
        client = self._client().with_options(max_retries=0)
        try:
            answer = client.post(
                f"{root}/tokenize", body={"content": text}, cast_to=object
            )
            return len(answer["tokens"])
        except (openai.OpenAIError, TypeError, KeyError):
            raise ModelError(
                f"{shown_address(self.base_url)} cannot count tokens (it has no "
                "llama.cpp /tokenize): read Reply.tokens_in, or use the embedded model"
            ) from None

    def embed(self, texts: list[str], *, batch: int = 10) -> list[list[float]]:
        """Ask for the embedding of each text: rows of floats, in the texts' order.

        `batch` texts go in one request; some hosted models take no more than ten.
        Raises `ModelError` for all that the endpoint refuses.

        >>> OpenAIModel(url, "", "bge-m3").embed(["查天气"])  # doctest: +SKIP
        [[0.01, ...]]
        """
        import openai

        rows: list[list[float]] = []
        for start in range(0, len(texts), batch):
            asked = texts[start : start + batch]
            try:
                # Servers of one's own often know no base64, the client's default.
                answer = self._client().embeddings.create(
                    model=self.name, input=asked, encoding_format="float"
                )
                given = sorted(answer.data, key=lambda row: row.index)
            except (openai.OpenAIError, TypeError, ValueError) as error:
                raise self._explain(error) from None
            rows += [row.embedding for row in given]
        return rows

    def _client(self) -> Any:
        # A connection that crossed a fork would be read by two processes at once.
        if self._connection is None or self._connection[0] != os.getpid():
            import openai

            # A company's proxy does not know this machine's own loopback.
            local = self.base_url.startswith(_LOOPBACK)
            timeout = openai.Timeout(self._timeout, connect=10.0)
            client = openai.OpenAI(
                base_url=self.base_url,
                api_key=self._key or "none",
                timeout=timeout,
                max_retries=self._retries,
                http_client=openai.DefaultHttpxClient(
                    trust_env=not local, timeout=timeout, base_url=self.base_url
                ),
            )
            self._connection = (os.getpid(), client)
        return self._connection[1]

    def _ask(self, body: dict[str, Any]) -> Reply:
        try:
            answer = self._client().chat.completions.create(**body)
        except json.JSONDecodeError as error:
            raise self._explain(error) from None
        choices = getattr(answer, "choices", None)
        if not choices:
            raise self._explain(ValueError("the answer holds no choices"))
        message = choices[0].message
        calls = [
            call.model_dump(exclude_none=True) for call in message.tool_calls or ()
        ]
        refusal = getattr(message, "refusal", None)
        return Reply(
            message.content or refusal or "",
            *_tokens(answer.usage),
            finish_reason="refusal" if refusal else choices[0].finish_reason or "stop",
            tool_calls=tuple(calls),
        )

    def _read(self, body: dict[str, Any], cancel: threading.Event) -> Reply:
        """Read a stream, leaving it as soon as `cancel` is set.

        The socket is read by a thread of its own, since a server that is still
        reading a long prompt sends nothing that could wake us.
        """
        text = ""
        calls: dict[int, dict[str, Any]] = {}
        finish, usage = "stop", None
        for chunk in _until(cancel, lambda: self._chunks(body)):
            if chunk is None:
                raise ReplyInterrupted("the reply was stopped", text=text)
            usage = getattr(chunk, "usage", None) or usage
            for choice in chunk.choices or ():
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
                for piece in choice.delta.tool_calls or ():
                    _merge(calls.setdefault(piece.index, {}), piece)
        return Reply(
            text,
            *_tokens(usage),
            finish_reason=finish,
            tool_calls=tuple(calls[i] for i in sorted(calls)),
        )

    def _chunks(self, body: dict[str, Any]) -> Iterator[Any]:
        import openai

        with self._client().chat.completions.create(stream=True, **body) as stream:
            try:
                yield from stream
            except openai.OpenAIError:
                raise
            except Exception as error:  # the transport's own: openai lets it through
                raise self._explain(error) from None

    def _explain(self, error: Exception) -> ModelError:
        return explain(error, model=self.name, base_url=self.base_url, secret=self._key)


def _leave_out(request: dict[str, Any], without: frozenset[str]) -> dict[str, Any]:
    body = {name: value for name, value in request.items() if name not in without}
    if "max_tokens" in without:
        body["max_completion_tokens"] = request["max_tokens"]
    return body


def _until(
    cancel: threading.Event, source: Callable[[], Iterator[Any]]
) -> Iterator[Any]:
    """Yield what `source` yields; yield None, and no more, once `cancel` is set."""
    end = object()
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def pump() -> None:
        try:
            for item in source():
                inbox.put(item)
                if cancel.is_set():
                    return
            inbox.put(end)
        except BaseException as error:
            inbox.put(error)

    if not cancel.is_set():
        threading.Thread(target=pump, daemon=True, name="model-reply").start()
    while not cancel.is_set():
        try:
            item = inbox.get(timeout=0.05)
        except queue.Empty:
            continue
        if item is end:
            return
        if isinstance(item, BaseException):
            raise item
        yield item
    yield None


def _merge(call: dict[str, Any], piece: Any) -> None:
    """Add one streamed piece to a tool call in the form a whole answer has."""
    function = call.setdefault("function", {"name": "", "arguments": ""})
    call.setdefault("type", "function")
    if piece.id:
        call["id"] = piece.id
    if piece.function:
        function["name"] += piece.function.name or ""
        function["arguments"] += piece.function.arguments or ""


def _tokens(usage: Any) -> tuple[int, int, int]:
    """Tokens in, out, and the cached part of those in."""
    if usage is None:
        return 0, 0, 0
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return usage.prompt_tokens or 0, usage.completion_tokens or 0, cached
