"""What each code means: how bad, why a model trips on it, what is better."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import Problem

__all__ = ["RULES", "Rule", "page", "problem"]


class Rule(NamedTuple):
    """One rule: `severity`, a `title` of one line, `why`, and a `better` example."""

    severity: str
    title: str
    why: str
    better: str


RULES: dict[str, Rule] = {
    # A schema that contradicts itself: no model can get these right.
    "bad_schema": Rule(
        "error",
        "定义读不成一个工具",
        "名字或 JSON Schema 不合规范，多数客户端会直接拒收整个工具",
        '{"name": "query_order", "inputSchema": {"type": "object"}}',
    ),
    "bad_default": Rule(
        "error",
        "默认值不符合自己的 Schema",
        "代码一填默认值，校验就不通过；模型照抄它也一样",
        '{"type": "integer", "minimum": 1, "default": 10}',
    ),
    "null_default": Rule(
        "warning",
        "默认值是 null，类型里却没有 null",
        "模型会照着默认值写出 null，然后被校验拒绝",
        '去掉 "default": null；或者写成 {"type": ["string", "null"], "default": null}',
    ),
    "required_not_declared": Rule(
        "error",
        "必填的参数没有声明",
        "模型看不到它的类型和说明，却必须给出它",
        '在 properties 里补上 "orderId": {"type": "string", "description": "订单号"}',
    ),
    "empty_enum": Rule(
        "error",
        "枚举是空的",
        "没有任何值能通过校验，受约束的解码也会卡住",
        '{"enum": ["待处理", "已解决"]}，或者去掉 enum',
    ),
    "impossible_bounds": Rule(
        "error",
        "下限比上限还大",
        "没有任何值能通过校验",
        '{"minimum": 1, "maximum": 100}',
    ),
    "bad_pattern": Rule(
        "error",
        "正则表达式 Python 读不懂",
        "这一条校验会被跳过或报错，写错格式的值就混了进去",
        '{"pattern": "^SO[0-9]{8}$"}',
    ),
    "hidden_instruction": Rule(
        "error",
        "描述里藏着对模型下的命令",
        "描述会原样进入提示词；来历不明的命令会盖过用户的意思，也可能套走数据",
        "描述只说工具做什么、参数填什么；流程和优先级写进系统提示词",
    ),
    "steers_choice": Rule(
        "warning",
        "描述在替自己抢调用",
        "自称唯一、要求总是选它的工具，会挤掉更合适的那一个",
        "写清适合什么、不适合什么，选谁交给模型和系统提示词",
    ),
    # What the prose says and the schema does not.
    "values_in_prose": Rule(
        "warning",
        "可选值只写在描述里",
        "没有 enum 就没有约束：模型会写出近义词，代码也拦不住",
        '{"type": "string", "enum": ["asc", "desc"]}',
    ),
    "bounds_in_prose": Rule(
        "warning",
        "上下限只写在描述里",
        "模型不一定照做，代码也无从检查",
        '{"type": "integer", "minimum": 1, "maximum": 100}',
    ),
    "default_in_prose": Rule(
        "info",
        "默认值只写在描述里",
        "代码没法替模型补上它，只好指望服务端悄悄处理",
        '{"type": "integer", "default": 10}',
    ),
    "enum_repeated_in_prose": Rule(
        "info",
        "描述把枚举又抄了一遍",
        "同一件事发两次，多花词元；改了一处忘了另一处，模型就无所适从",
        "描述只解释值的含义，值本身交给 enum",
    ),
    # What nobody says.
    "no_description": Rule(
        "warning",
        "工具没有描述，或者只重复了名字",
        "模型选工具时读的就是描述；没有它，只能看名字猜",
        "按订单号查状态；只含未归档订单；查不到返回 NOT_FOUND",
    ),
    "vague_description": Rule(
        "info",
        "工具描述不说边界，也不说失败会怎样",
        "模型分不清什么时候不该调用，也不知道查不到时会收到什么",
        "按订单号查状态；只含未归档订单；查不到返回 NOT_FOUND",
    ),
    "undescribed_parameter": Rule(
        "warning",
        "参数没有描述",
        "模型只能从名字猜要填什么",
        '{"type": "string", "description": "城市名，不带“市”字，如 北京"}',
    ),
    "unclear_name": Rule(
        "warning",
        "名字不解释自己",
        "模型首先看名字，p1、data 这样的名字谁都装得下",
        "p1 → orderId；data → invoiceLines",
    ),
    "no_type": Rule(
        "warning",
        "参数没有类型",
        "模型不知道要写文字还是数字，代码也无法转换",
        '{"type": "string"}',
    ),
    "no_items": Rule(
        "warning",
        "数组没有说元素是什么",
        "模型不知道每一项的样子，有的服务会拒收这样的 Schema",
        '{"type": "array", "items": {"type": "string"}}',
    ),
    "opaque_object": Rule(
        "warning",
        "对象没有说有哪些字段",
        "模型只能编造字段名",
        '{"type": "object", "properties": {"city": {"type": "string"}}}',
    ),
    "no_format": Rule(
        "warning",
        "日期或时间没写格式",
        "同一天有 2026/10/3、Oct 3、2026-10-03 三种写法，解析时要写三个分支",
        '{"type": "string", "format": "date", "description": "起始日期，yyyy-MM-dd"}',
    ),
    "no_unit": Rule(
        "warning",
        "数量没写单位",
        "秒和毫秒、元和分差着几百上千倍，模型只能猜",
        "timeout → timeoutSeconds，或者在描述里写“单位：秒”",
    ),
    "no_bounds": Rule(
        "info",
        "条数、页码一类的数没有上下限",
        "模型可能写 0、-1 或者一百万，一次拖垮后端",
        '{"type": "integer", "minimum": 1, "maximum": 100}',
    ),
    "nothing_required": Rule(
        "info",
        "没有一个参数必填",
        "{} 也能通过校验，模型少填了东西没人知道",
        '"required": ["orderId"]：真正缺不得的才写进去；几个里至少要一个，写 anyOf',
    ),
    "too_many_parameters": Rule(
        "info",
        "必填参数超过 4 个",
        "每多一个，漏填、错填的机会就多一分，也要多追问一轮",
        "会话里已经知道的（当前仓库、当前用户）由代码填；能有默认值的写上 default；"
        "做两件事的拆成两个工具",
    ),
    "many_optional_parameters": Rule(
        "info",
        "参数超过 12 个",
        "每次调用都要把它们全部读一遍，少用的会干扰常用的",
        "把少用的参数分到另一个工具里",
    ),
    "long_description": Rule(
        "info",
        "描述超过 1024 个字符",
        "每次请求都要发送；有的接口会在 1024 处截断",
        "描述留下用途、边界、失败值，教程放进文档",
    ),
    "near_duplicate_tools": Rule(
        "warning",
        "两个工具的描述几乎一样",
        "模型分不出该选哪一个",
        "在描述里写明各自管什么、不管什么，或者合并成一个",
    ),
}


def problem(code: str, path: str, what: str) -> Problem:
    """Return the finding of a rule: what is there, why it matters, what is better.

    >>> problem("empty_enum", "status", "enum 是 []").severity
    'error'
    """
    rule = RULES[code]
    what = " ".join(what.split()).rstrip("。.")
    message = f"{rule.title}：{what}。{rule.why}。更好的写法：{rule.better}"
    return Problem(path, code, message, rule.severity)


def page(code: str | None = None) -> str:
    """Return the explanation of one code, or of all, as Markdown.

    Raises:
        KeyError: there is no such code.

    >>> page("no_unit").splitlines()[0]
    '## no_unit · 数量没写单位'
    """
    return "\n".join(
        f"## {c} · {r.title}\n\n"
        f"- 级别：{r.severity}\n- 为什么：{r.why}\n- 更好的写法：{r.better}\n"
        for c, r in ({code: RULES[code]} if code else RULES).items()
    )
