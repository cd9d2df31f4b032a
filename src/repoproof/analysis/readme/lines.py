"""Endpoints in lines of text: headings, list items and paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..endpoints import METHODS
from .bases import is_base, path_in_heading
from .labels import BETWEEN_FIELDS, LABEL
from .markdown import Fence, Kind, Line, Section, unnumbered
from .mention import Mention, Notation
from .phrase import (
    Phrase,
    Target,
    described_target,
    leading_methods,
    leading_target,
    plain,
    read_methods,
    read_phrases,
    read_split,
    read_target,
    with_slash,
)
from .words import is_action, is_denial, is_gone, is_outside, is_refused, refers

# A `Method:` and a `Path:` further apart than this belong to two different endpoints.
MAX_FIELD_DISTANCE = 12
MAX_LINE = 1_000

_TITLE = re.compile(r"(?P<title>[^/:：`{}]{1,80}?)\s*(?:[:：]|\s[-–—]+>?\s|→|=>|(?=[(\[（]))\s*")
_UNSEPARATED = re.compile(rf"(?P<title>[^/:：`{{}}]{{1,80}}?)\s+(?=(?:{'|'.join(METHODS)})\s+/)")
_ENDS_IN_MARKUP = re.compile(r"(?:`|\*\*|</code>)[\s.)]*(?:\]\([^()]*\))?$")
_NOTHING_MORE = re.compile(r"^[\s)\]）.:;!*。；：]*(?:[\[(（][^()（）]*[\])）][.*_。；]*)?$")
_DESCRIBED = re.compile(r"^\s*[)\]）]?\s*(?:[-–—]+>?\s|[:：]\s|→)")
# A section of calls that show what other sections declare.
_EXAMPLES = re.compile(
    r"(?:(?:manual|smoke|example|sample|the|running|usage|http|api)\s+)*(?:tests?|testing|examples?|samples?)(?:\s+(?:cases?|requests?|calls?|usage|plan|scenarios?))?"
    r"|(?:测试|调用|请求)?示例|beispiele?|ejemplos?|exemples?|exemplos?",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.?g\.?|samples?|try|instance|demo|beispiele?|ejemplos?|exemples?)\b|示例|例如", re.IGNORECASE
)
# A wrapped sentence goes on from such a line: `... behaves the same as`.
_DANGLING = re.compile(
    r"(?:[,;(]|(?:^|\s)(?:as|after|to|with|by|calls?|the|a|an|via|using|from|and|or|of|like|than|see|what|which|where|when|before|on|in|for|is|are|that|same))$",
    re.I,
)
_CROSS = re.compile(r"[^\w/`]*[❌✗✘🚫⛔]")
_METHOD_TITLE = re.compile(
    r"(?P<methods>[A-Z/,|& ]+?)(?:\s+(?:requests?|endpoints?|methods?|routes?|operations?|calls?))?", re.I
)
# A method that its markup sets apart from the words behind it.
_MARKED_METHOD = re.compile(r"\W*(?:`|\*\*|__|<(?:b|strong|code|kbd)>)[A-Z]+\b")


@dataclass
class LineReader:
    """Reads one line after another and remembers what the lines before have left open."""

    served: frozenset[Section] = frozenset()
    """Sections that are not what their titles say."""
    mentions: list[Mention] = field(default_factory=list)
    section: Section | None = None
    titled_path: Target | None = None
    """Of a heading that is a path, or ends in one: `### /widgets`."""
    titled_methods: tuple[str, ...] = ()
    """Of a heading that consists of methods: `### GET`."""
    item: tuple[Target, int] | None = None
    """Of an item or paragraph that is a path, and how far it is indented (-1: a paragraph): its methods may be listed inside or under it."""
    method_item: tuple[tuple[str, ...], int, int] | None = None
    """Of an item that consists of methods, how far it is indented, and its line: paths may be listed inside it."""
    method_line: tuple[str, ...] = ()
    """Of a paragraph that consists of methods: the next line may be the path."""
    methods: tuple[tuple[str, ...], int] | None = None
    """A `Method:` that still waits for its path, and its line."""
    target: tuple[Target, int] | None = None
    """A `Path:` that still waits for its method."""
    label: re.Match[str] | None = None
    """A label whose line ends behind it: its value is the next line."""
    headed: Section | None = None
    """A section whose heading declares endpoints, before any other of its lines."""
    denied: int | None = None
    """How far the line is indented that says of what follows that it is not there (-1: a heading-like one)."""

    def read(self, line: Line) -> None:
        text = plain(line.text)
        if line.kind is Kind.HEADING:
            self._enter(line, text)
        elif self._is_denied(line, text) or self._takes_back(line, text):
            return
        self.headed = None
        label, self.label = self.label, None
        method_line, self.method_line = self.method_line, ()
        if len(text) > MAX_LINE or self._phrase(line, text) or self._fields(line, text):
            return
        if label and self._value(label, text, line.number, line.section):
            return
        if line.kind is not Kind.HEADING:
            self._path_under_method(line, text, method_line)
            self._method_under_path(line, text)
            self._method_under_item(line, text)

    def read_fence(self, fence: Fence) -> None:
        """A fence of one line may be the value of the label before it; one of paths stands under a heading of methods."""
        label = LABEL.match(plain(fence.introduced_by)[:MAX_LINE].rstrip(":：") or " ")
        if fence.section is not (self.section or fence.section):
            return
        value = fence.text.strip()
        if label and "\n" not in value and self._value(label, plain(value), fence.number, fence.section):
            return
        written = [line.strip() for line in fence.text.splitlines() if line.strip()]
        targets = [read_target(line[:MAX_LINE]) for line in written[:MAX_FIELD_DISTANCE]]
        if self.titled_methods and len(written) == len(targets):
            for number, target in enumerate(targets, fence.number):
                if target:
                    self._found(self.titled_methods, target, number, Notation.PATH_UNDER_METHOD, fence.section)
                    self.methods = None

    @property
    def path_above(self) -> Target | None:
        """The path that a heading or a line above stands for."""
        return self.item[0] if self.item else self.titled_path

    def finish(self) -> list[Mention]:
        """All mentions, in the order of their lines."""
        self._settle()
        return sorted(self.mentions, key=lambda mention: mention.line)

    def _enter(self, line: Line, text: str) -> None:
        self._settle()
        self.section, self.methods, self.target, self.label, self.denied = line.section, None, None, None, None
        self.item, self.method_item, self.method_line, self.titled_methods = None, None, (), ()
        title = unnumbered(text)
        around = _methods_around(line.section)
        self.titled_path = _path_of(title) or _path_around(line.section)
        if around and (target := read_target(title) or leading_target(title)):
            self._found(around, target, line.number, Notation.PATH_UNDER_METHOD, line.section)
        named = re.search(r"[(\[]\s*(?:HTTP\s+)?([A-Z]+)\s*[)\]]$", title)
        own = _methods_of(title)
        methods = own or (leading_methods(named[1])[0] if named else ())
        if methods:
            self.methods = (methods, line.number)
        self.titled_methods = own if not self.titled_path else ()

    def _is_denied(self, line: Line, text: str) -> bool:
        """Whether a line before says that this one is not there, or this one says so of what follows."""
        if "</details" in line.text.lower():
            self.denied = None
        if self.denied is not None and line.kind is Kind.ITEM and text:
            within = self.denied + 1 if line.listed else max(self.denied, 0) + 2
            if line.indent < within:
                self.denied = None
        if self.denied is None and _introduces(line, text) and is_denial(text) and not read_phrases(text):
            self.denied = line.indent if line.listed else -1
            return True
        return self.denied is not None

    def _takes_back(self, line: Line, text: str) -> bool:
        """Whether a line is crossed out by a sign, or says of the endpoint in the heading above that it is not there."""
        if _CROSS.match(line.text):
            return True
        above = self.mentions[-1:]
        if line.kind is not Kind.ITEM or not above or self.headed is not line.section or not is_gone(text):
            return False
        while self.mentions and self.mentions[-1].line == line.section.line:
            self.mentions.pop()
        self.headed = None
        return True

    def _settle(self) -> None:
        """A method left without a path of its own takes the path of its heading."""
        if self.methods and self.titled_path and self.section:
            self._under_heading(self.methods[0], self.titled_path, self.methods[1], self.section)
        self.methods = None

    def _phrase(self, line: Line, text: str) -> bool:
        if line.kind is Kind.CONTINUED and _DANGLING.search(plain(line.previous)):
            return False
        title = unnumbered(text) if line.kind is Kind.HEADING else text
        notation = Notation.HEADING if line.kind is Kind.HEADING else Notation.PHRASE
        phrases, shown = read_phrases(title), False
        if not phrases:
            label = LABEL.match(title)
            if label and label["path"] and (phrases := read_phrases(with_slash(title[label.end() :]))):
                notation = Notation.LABELLED
            else:
                phrases, notation, shown = self._titled(title, notation)
        else:
            if line.kind is Kind.CONTINUED and not _follows_a_list(line.previous) and not _ends(phrases):
                return False
        if not phrases:
            phrases, notation, shown = self._unseparated(line, title, notation)
        if not phrases and _MARKED_METHOD.match(line.text):
            phrases = [
                phrase for phrase in read_split(title) if not refers(phrase.rest) and not _DANGLING.search(phrase.rest)
            ]
        shown = shown or (line.kind is not Kind.HEADING and _is_of_examples(line.section, self.served))
        for phrase in phrases:
            outside = is_outside(phrase.rest)
            self._found(
                phrase.methods, phrase.target, line.number, notation, line.section, shown=shown, outside=outside
            )
        if phrases and line.kind is Kind.HEADING:
            self.headed = line.section
        return bool(phrases)

    def _titled(self, text: str, notation: Notation) -> tuple[list[Phrase], Notation, bool]:
        title = _TITLE.match(text)
        if not title or len(title["title"].split()) > 8 or refers(title["title"]):
            return [], notation, False
        phrases = read_phrases(text[title.end() :])
        bracketed = text[title.end() :].startswith(("(", "[", "（"))
        described = phrases and _DESCRIBED.match(phrases[-1].rest) and (bracketed or is_action(title["title"]))
        if not described and not _ends(phrases):
            return [], notation, False
        chosen = notation if notation is Notation.HEADING else Notation.TITLED
        return phrases, chosen, bool(_EXAMPLE.search(title["title"]))

    def _unseparated(self, line: Line, text: str, notation: Notation) -> tuple[list[Phrase], Notation, bool]:
        """`### List users `GET /users``: nothing but its markup, or being a heading, sets the endpoint apart from its title."""
        title = _UNSEPARATED.match(text)
        is_heading = notation is Notation.HEADING
        if not title or not (is_heading or (line.listed and is_action(text) and _ENDS_IN_MARKUP.search(line.text))):
            return [], notation, False
        if len(title["title"].split()) > 8 or refers(title["title"]) or _DANGLING.search(title["title"]):
            return [], notation, False
        phrases = read_phrases(text[title.end() :])
        chosen = notation if is_heading else Notation.TITLED
        return phrases if _ends(phrases) else [], chosen, bool(_EXAMPLE.search(title["title"]))

    def _fields(self, line: Line, text: str) -> bool:
        found = False
        if is_base(text):
            return False
        for part in BETWEEN_FIELDS.split(text):
            label = LABEL.match(part)
            if label and label.end() == len(text) and line.kind is not Kind.HEADING:
                self.label = label
            elif label:
                found |= self._value(label, part[label.end() :], line.number, line.section, line)
            elif (self.methods or part != text) and (target := read_target(part)):
                self._path_field(target, line.number, line.section)
                found = True
        return found

    def _value(self, label: re.Match[str], value: str, number: int, section: Section, line: Line | None = None) -> bool:
        if label["method"] and (methods := read_methods(value)):
            if self.methods and self.titled_path:
                self._settle()
            if self.target and number - self.target[1] <= MAX_FIELD_DISTANCE:
                self._found(methods, self.target[0], self.target[1], Notation.FIELDS, section)
                self.target = None
            else:
                self.methods = (methods, number)
            return True
        if label["path"]:
            target = read_target(value.split(" ")[0].rstrip(",;")) if value else None
            if target:
                self._path_field(target, number, section)
                if line and self.target:
                    self.item = (target, line.indent if line.listed else -1)
                return True
        return False

    def _path_field(self, target: Target, number: int, section: Section) -> None:
        if self.methods and number - self.methods[1] <= MAX_FIELD_DISTANCE:
            self._found(self.methods[0], target, number, Notation.FIELDS, section)
            self.methods = None
        else:
            self.target = (target, number)

    def _path_under_method(self, line: Line, text: str, method_line: tuple[str, ...]) -> None:
        """`### GET`, or an item or a paragraph that is `GET`, and paths under it."""
        target = leading_target(text)
        if target and self.method_item and line.listed and line.indent > self.method_item[1]:
            while self.mentions and self.mentions[-1].line == self.method_item[2]:  # its path is inside, not above
                self.mentions.pop()
            self._found(self.method_item[0], target, line.number, Notation.PATH_UNDER_METHOD, line.section)
        elif target and method_line and not line.listed:
            self._found(method_line, target, line.number, Notation.PATH_UNDER_METHOD, line.section)
        elif target and line.kind is Kind.ITEM and self.titled_methods and line.section is self.section:
            self._found(self.titled_methods, target, line.number, Notation.PATH_UNDER_METHOD, line.section)
            self.methods = None
        elif line.kind is Kind.ITEM:
            if self.method_item and line.indent <= self.method_item[1]:
                self.method_item = None
            methods = read_methods(text) if text.isupper() else ()
            if methods and line.listed:
                self.method_item = (methods, line.indent, line.number)
            elif methods:
                self.method_line = methods

    def _method_under_path(self, line: Line, text: str) -> None:
        if self.titled_path:
            methods = _described_methods(line, text)
            self._under_heading(methods, self.titled_path, line.number, line.section)

    def _method_under_item(self, line: Line, text: str) -> None:
        if line.kind is not Kind.ITEM:
            return
        if self.item and line.indent > self.item[1] and (line.listed or self.item[1] >= 0):
            methods = _described_methods(line, text)
            self._found(methods, self.item[0], line.number, Notation.METHOD_UNDER_PATH, line.section)
            if line.listed:
                return
        if target := read_target(text):
            self.item = (target, line.indent if line.listed else -1)
        elif line.listed:
            self.item = None

    def _under_heading(self, methods: tuple[str, ...], target: Target, number: int, section: Section) -> None:
        self.mentions += [
            Mention(method, target, number, Notation.METHOD_UNDER_PATH, section, of_heading=True) for method in methods
        ]

    def _found(
        self,
        methods: tuple[str, ...],
        target: Target,
        number: int,
        notation: Notation,
        section: Section,
        *,
        shown: bool = False,
        outside: bool = False,
    ) -> None:
        self.mentions += [
            Mention(method, target, number, notation, section, shown, outside=outside) for method in methods
        ]


def _path_of(title: str) -> Target | None:
    """The path that a heading consists of, names behind a label, or has in brackets behind its words."""
    if is_base(title):
        return None
    label = LABEL.match(title)
    labelled = read_target(title[label.end() :]) if label and label["path"] else None
    return read_target(title) or labelled or described_target(title) or path_in_heading(title)


def _path_around(section: Section) -> Target | None:
    """The path that a heading around this one has, for `### /widgets` with `#### GET` inside."""
    titles = (_path_of(unnumbered(plain(around.title))) for around in section.path()[1:])
    return next((target for target in titles if target), None)


def _methods_of(title: str) -> tuple[str, ...]:
    """The methods that a heading consists of: `GET`, `POST requests`."""
    found = _METHOD_TITLE.fullmatch(title)
    return read_methods(found["methods"]) if found and found["methods"].isupper() else ()


def _methods_around(section: Section) -> tuple[str, ...]:
    titles = (_methods_of(unnumbered(plain(around.title))) for around in section.path()[1:])
    return next((methods for methods in titles if methods), ())


def _described_methods(line: Line, text: str) -> tuple[str, ...]:
    """The methods that a line begins with and says something about: `- GET: all of them`, `**GET** Returns all of them`."""
    methods, rest = leading_methods(text, apart=line.listed or bool(_MARKED_METHOD.match(line.text)))
    return () if is_refused(re.sub(r"^\s*requests?\b", "", rest)) else methods


def _introduces(line: Line, text: str) -> bool:
    """Whether a line stands in front of others: it ends in a colon, is all bold, or is what a folded part is called."""
    return (
        text.endswith((":", "："))
        or bool(re.fullmatch(r"\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*", line.text))
        or "<summary" in line.text.lower()
    )


def _is_of_examples(section: Section, served: frozenset[Section]) -> bool:
    return any(
        _EXAMPLES.fullmatch(plain(around.title).rstrip(" :.")) for around in section.path() if around not in served
    )


def _ends(phrases: list[Phrase]) -> bool:
    """Whether nothing but a remark in brackets follows."""
    return bool(phrases) and bool(_NOTHING_MORE.match(phrases[-1].rest))


def _follows_a_list(previous: str) -> bool:
    """Whether the line before is itself a phrase, a field, or the introduction of a list."""
    before = plain(previous)
    return before.endswith((":", "：")) or bool(read_phrases(before)) or bool(LABEL.match(before))
