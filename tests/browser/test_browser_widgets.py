"""The widgets, used as a person would: type, click, move, look.

Answers come from recordings, and where something is typed that nobody recorded, from
an endpoint on this machine that streams, so that Stop has something to stop.
"""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

EVIL = '<img src=x onerror="window.pwned=1">'
STATED = '{"region":"华东","limit":7}'
CELLS = """
import toolparam_lite as tp
from toolparam_lite import lab
from toolparam_lite.evaluate import course, run
from toolparam_lite.models import OpenAIModel
from toolparam_lite.ranking import LexicalRanker

tools = course.tools()
told = tp.connect(recording="02_prompt_matrix")
live = OpenAIModel(URL, "sk-browser-secret-1", "endpoint")
----
lab.PromptLab(model=told, tools=tools, tool=CASE.tool, question=CASE.question)
----
lab.PromptLab(model=live, tools=tools, question="华东的，前 7 条")
----
cases = course.cases()[:12]
variants = {"甲": "extract", "乙": "chapter"}
ask = {
    name: lambda c, p=p: course.answer(c, model=told, tools=tools, prompt=p)
    for name, p in variants.items()
}
frame = run(cases, ask)
lab.CaseGrid(frame, model=told, tools=tools, cases=cases, variants=variants)
----
lab.MatrixBoard(model=live, tools=tools, evidence=False)
----
lab.LayerSwitches(model=live, tools=tools, question="华东的，前 7 条")
----
registry = tp.company.registry(course.CLOCK.date())
lab.MountSlider(
    registry,
    users=tp.company.users(),
    goal="华东区本月的销售额",
    ranker=LexicalRanker(),
)
"""


class Endpoint:
    """Streams one reply a character at a time; `hold` makes it endless."""

    def __init__(self) -> None:
        self.hold = threading.Event()
        self.left = threading.Event()
        self.seen: list[dict[str, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                if not self.path.endswith("/chat/completions"):
                    self.send_error(404)
                    return
                endpoint.seen.append(body)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for piece in endpoint.pieces(body["messages"]):
                        delta = {"content": piece}
                        self.event({"choices": [{"index": 0, "delta": delta}]})
                    usage = {"prompt_tokens": 50, "completion_tokens": 9}
                    usage["total_tokens"] = 59
                    self.event({"choices": [], "usage": usage})
                    self.chunk(b"data: [DONE]\n\n")
                    self.chunk(b"")
                except OSError:
                    endpoint.left.set()

            def event(self, event: dict[str, Any]) -> None:
                event = {"id": "1", "object": "chat.completion.chunk", **event}
                self.chunk(f"data: {json.dumps(event)}\n\n".encode())

            def chunk(self, data: bytes) -> None:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: Any) -> None:
                """A client that leaves is what Stop is about."""

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def pieces(self, messages: list[dict[str, str]]) -> Iterator[str]:
        while self.hold.is_set():
            yield "字"
            time.sleep(0.05)
        rules, asked = messages[0]["content"], messages[-1]["content"]
        if EVIL in asked:
            yield json.dumps({"region": EVIL, EVIL: 1})
        elif "什么也不写" in rules:
            yield "{}"
        elif "青山厅" in asked:
            yield '{"room":"青山厅"}'
        else:
            yield from STATED


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.hold.clear()
    made.server.shutdown()


@pytest.fixture(scope="module")
def notebook(server: Any, page: Any, endpoint: Endpoint) -> Any:
    from toolparam_lite.evaluate import course

    # A question that both templates were asked, and answered differently.
    chosen = next(c for c in course.cases() if c.id.startswith("sales"))
    text = CELLS.replace("URL", repr(endpoint.url))
    text = text.replace("CASE.tool", repr(chosen.tool))
    text = text.replace("CASE.question", repr(chosen.question))
    cells = [new_code_cell(part.strip()) for part in text.split("----")]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(made, server.folder / "widgets.ipynb")
    opened = server.notebook(page, "widgets.ipynb")
    held = opened.run_all()
    errors = [
        output
        for cell in held["cells"]
        for output in cell["outputs"]
        if output["output_type"] in ("error", "stream")
    ]
    assert not errors
    return opened


def part(page: Any, cls: str, nth: int = 0) -> Any:
    found = page.locator(f".tpl-{cls}").nth(nth)
    found.scroll_into_view_if_needed()
    return found


def panel(bench: Any, title: str) -> Any:
    bench.get_by_role("button", name=title).or_(bench.get_by_text(title)).first.click()


def told(bench: Any, text: str) -> None:
    bench.get_by_text(text).first.wait_for()


def until(page: Any, holds: Callable[[], bool]) -> None:
    """What the kernel does is not on the page; give it the time that a page gets."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "nothing came of it"
        page.wait_for_timeout(50)


def test_chinese_is_drawn_and_not_boxes(page: Any, notebook: Any) -> None:
    different = page.evaluate(
        """() => {
        const drawn = (text) => {
          const c = document.createElement('canvas');
          const g = c.getContext('2d');
          g.font = '40px sans-serif';
          g.fillText(text, 5, 50);
          return c.toDataURL();
        };
        return drawn('参') !== drawn('数');
      }"""
    )
    assert different, "no Chinese font: apt-get install fonts-wqy-microhei"


def test_a_recorded_prompt_answers_at_once_and_says_so(
    page: Any, notebook: Any, shot: Any, record_property: Any
) -> None:
    bench = part(page, "prompt-lab")
    result = bench.locator(".tpl-result-a")
    told(result, "录制 · qwen2.5-coder-1.5b")
    before = result.inner_text()
    begun = time.perf_counter()
    bench.locator(".tpl-choice select").first.select_option("chapter")
    page.wait_for_function(
        "([element, text]) => element.innerText !== text",
        arg=[result.element_handle(), before],
    )
    took = round((time.perf_counter() - begun) * 1000)
    record_property("edit_to_outcome_ms", took)
    print(f"edit → outcome, recorded: {took} ms")
    told(result, "录制 · qwen2.5-coder-1.5b")
    bench.locator(".tpl-choice select").first.select_option("extract")
    shot(bench, "prompt_lab")


def test_an_edit_without_a_recording_says_how_to_get_a_model(
    page: Any, notebook: Any
) -> None:
    bench = part(page, "prompt-lab")
    panel(bench, "系统：规则")
    area = bench.get_by_label("系统（规则）").first
    area.fill(area.input_value() + "\n多一条。")
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-result-a"), "make model")
    bench.locator(".tpl-reset").first.click()
    told(bench.locator(".tpl-result-a"), "录制 · ")


def test_edit_the_template_run_and_see_the_table_change(
    page: Any, notebook: Any, endpoint: Endpoint, shot: Any
) -> None:
    bench = part(page, "prompt-lab", 1)
    result = bench.locator(".tpl-result-a")
    bench.locator(".tpl-run").click()
    told(result, "实时 · endpoint")
    assert result.locator("tr", has_text="limit").inner_text().split()[1:] == [
        "7",
        "用户说的",
    ]
    panel(bench, "系统：规则")
    area = bench.get_by_label("系统（规则）").first
    area.fill(area.input_value() + "\n什么也不写。")
    area.blur()
    told(result, "改动之前的结果")
    asked = len(endpoint.seen)
    bench.locator(".tpl-run").click()
    until(page, lambda: len(endpoint.seen) > asked)
    result.get_by_text("改动之前的结果").wait_for(state="detached")
    assert "什么也不写" in endpoint.seen[-1]["messages"][0]["content"]
    assert result.locator("tr", has_text="limit").inner_text().split()[1] == "10"


def test_two_sides_are_compared_and_the_difference_is_shown(
    page: Any, notebook: Any, shot: Any
) -> None:
    bench = part(page, "prompt-lab", 1)
    bench.get_by_label("并排比较两份提示词").check()
    bench.locator(".tpl-run").click()
    told(bench, "个参数不同")
    panel(bench, "提示词的差别")
    bench.locator("del").first.wait_for()
    assert "什么也不写" in bench.locator("del, ins").all_inner_texts()[-1] + "".join(
        bench.locator("del").all_inner_texts()
    )
    shot(bench, "prompt_lab_compare")
    bench.get_by_label("并排比较两份提示词").uncheck()


def test_stop_stops_the_reply_and_the_lab_can_be_used_again(
    page: Any, notebook: Any, endpoint: Endpoint
) -> None:
    bench = part(page, "prompt-lab", 1)
    endpoint.left.clear()
    endpoint.hold.set()
    bench.locator(".tpl-run").click()
    bench.locator(".tpl-spin").wait_for()
    bench.locator(".tpl-stop").click()
    told(bench.locator(".tpl-result-a"), "已停止")
    assert endpoint.left.wait(30), "the endpoint still sends"
    endpoint.hold.clear()
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-result-a"), "可以调用")


def test_the_keyboard_reaches_the_question_and_the_run_button(
    page: Any, notebook: Any, endpoint: Endpoint
) -> None:
    bench = part(page, "prompt-lab", 1)
    asked = len(endpoint.seen)
    bench.get_by_label("问题", exact=True).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className").count("tpl-run")
    page.keyboard.press("Enter")
    until(page, lambda: len(endpoint.seen) == asked + 1)
    told(bench.locator(".tpl-told"), "完成")


def test_what_is_typed_and_what_comes_back_stays_text(page: Any, notebook: Any) -> None:
    bench = part(page, "prompt-lab", 1)
    bench.get_by_label("问题", exact=True).fill(EVIL)
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-result-a"), "onerror")
    panel(bench, "完整的提示词")
    assert bench.locator("img").count() == 0
    assert page.evaluate("window.pwned") is None
    bench.get_by_label("问题", exact=True).fill("华东的，前 7 条")


def test_the_grid_filters_exports_and_opens_a_case(
    page: Any, notebook: Any, shot: Any
) -> None:
    bench = part(page, "case-grid")
    told(bench.locator(".tpl-totals"), "/ 12")
    shot(bench, "case_grid")
    bench.locator(".tpl-next").click()
    told(bench.locator(".tpl-where"), "第 2 / 2 页")
    bench.get_by_label("只看不同").check()
    told(bench.locator(".tpl-where"), "第 1 / 1 页")
    bench.get_by_label("只看不同").uncheck()
    told(bench.locator(".tpl-where"), "12 题")
    with page.expect_download() as got:
        bench.locator(".tpl-export").click()
        bench.locator(".tpl-link a").click()
    text = got.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 24 and {row["变体"] for row in rows} == {"甲", "乙"}
    first = bench.locator(".tpl-case").first
    first.click()
    told(bench.locator(".tpl-detail"), "应当：")
    opened = bench.locator(".tpl-prompt-lab")
    opened.wait_for()
    told(opened.locator(".tpl-result-b"), "录制 · ")


def test_the_board_is_played_again_on_an_edited_template(
    page: Any, notebook: Any, shot: Any
) -> None:
    bench = part(page, "matrix-board")
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-after"), "对")
    told(bench.locator(".tpl-told"), "完成")
    panel(bench, "系统：规则")
    area = bench.get_by_label("系统（规则）").first
    area.fill(area.input_value() + "\n什么也不写。")
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-after"), "改坏了")
    told(bench.locator(".tpl-told"), "完成")
    shot(bench, "matrix_board")


def test_a_layer_is_switched_off_without_asking_again(
    page: Any, notebook: Any, endpoint: Endpoint, shot: Any
) -> None:
    bench = part(page, "layer-switches")
    bench.locator(".tpl-run").click()
    told(bench.locator(".tpl-each"), "全关")
    asked = len(endpoint.seen)
    bench.get_by_label("默认值").uncheck()
    told(bench.locator(".tpl-result"), "关掉了：默认值")
    assert len(endpoint.seen) == asked
    shot(bench, "layer_switches")


def test_the_slider_is_moved_by_keyboard(page: Any, notebook: Any, shot: Any) -> None:
    bench = part(page, "mount-slider")
    told(bench, "挂载 8 个")
    handle = bench.get_by_role("slider")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    told(bench, "挂载 7 个")
    bench.get_by_label("谁来问").select_option("manager")
    page.wait_for_function(
        "e => !e.innerText.includes('没有 write 权限')", arg=bench.element_handle()
    )
    shot(bench, "mount_slider")


WIDGETS = "prompt-lab case-grid matrix-board layer-switches mount-slider".split()
CONTRAST = """elements => elements.filter((e) => e.innerText && e.offsetParent)
.map((element) => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const g = canvas.getContext('2d', {willReadFrequently: true});
  const backs = [];
  for (let e = element; e; e = e.parentElement)
    backs.unshift(getComputedStyle(e).backgroundColor);
  const light = (colours) => {
    for (const colour of ['#fff', ...colours]) {
      g.fillStyle = colour;
      g.fillRect(0, 0, 1, 1);
    }
    const [r, g_, b] = [...g.getImageData(0, 0, 1, 1).data].map((v) => {
      const c = v / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g_ + 0.0722 * b;
  };
  const back = light(backs);
  const front = light([...backs, getComputedStyle(element).color]);
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  return [element.innerText, ratio];
})"""


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_text_can_be_read_in_either_theme(
    page: Any, notebook: Any, shot: Any, theme: str
) -> None:
    page.evaluate(
        "name => window.jupyterapp.commands.execute("
        "'apputils:change-theme', {theme: name})",
        f"JupyterLab {theme}",
    )
    page.wait_for_function(
        "light => document.body.dataset.jpThemeLight === light",
        arg="true" if theme == "Light" else "false",
    )
    page.wait_for_timeout(500)
    for cls in WIDGETS:
        bench = part(page, cls)
        shot(bench, f"{cls.replace('-', '_')}_{theme.lower()}")
        seen = bench.locator("td, b, .tpl-soft, label").evaluate_all(CONTRAST)
        assert len(seen) > 5
        pale = [(cls, text, ratio) for text, ratio in seen if ratio < 4.5]
        assert not pale


def test_nothing_sticks_out_of_a_narrow_window(
    page: Any, notebook: Any, shot: Any
) -> None:
    page.set_viewport_size({"width": 620, "height": 1000})
    page.wait_for_timeout(500)
    for cls in WIDGETS:
        bench = part(page, cls)
        shot(bench, f"{cls.replace('-', '_')}_narrow")
        over = bench.evaluate("e => e.scrollWidth - e.clientWidth")
        assert over <= 1, f"{cls} sticks out by {over} pixels"
    page.set_viewport_size({"width": 1280, "height": 1200})


def test_no_key_is_in_the_page_or_the_saved_notebook(
    page: Any, notebook: Any, server: Any
) -> None:
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    saved = (server.folder / "widgets.ipynb").read_text(encoding="utf-8")
    assert "PromptLab：" in saved
    code = "live = OpenAIModel("
    outside = [line for line in saved.split("\n") if code not in line]
    assert "sk-browser-secret" not in "\n".join(outside)
    assert "sk-browser-secret" not in page.locator(".tpl").first.inner_html()
