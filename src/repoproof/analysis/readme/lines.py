"""Endpoints in lines of text: headings, list items and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .bases import is_base
from .markdown import Fence, Kind, Line, Section
from .mention import Mention, Notation
from .phrase import Phrase, Target, leading_methods, plain, read_methods, read_phrases, read_target, with_slash

# A `Method:` and a `Path:` further apart than this belong to two different endpoints.
MAX_FIELD_DISTANCE = 12
MAX_LINE = 1_000

_QUALIFIER = r"(?:(?:api|http|rest(?:ful)?|request|interface|endpoint|full|resource)\s+)*"
_PATH_LABEL = (
    rf"{_QUALIFIER}(?:apis?|endpoints?|interfaces?|routes?|ur[li]s?|paths?|resources?|requests?|names?|address|"
    r"(?:methods?|verbs?)\s*(?:and|&|\+|/)\s*(?:paths?|ur[li]s?|routes?|endpoints?)"
    r"|rutas?|caminho|chemin|percorso|pfad|адрес|путь|маршрут|(?:接口|请求)?(?:路径|地址|路由)|接口|エンドポイント|パス|경로)"
)
_METHOD_LABEL = r"(?:(?:api|http|rest|request)\s+)*(?:methods?|verbs?|types?|m[ée]todos?|m[ée]thodes?|метод|(?:请求)?(?:方法|方式)|メソッド|메서드)(?:\s+http)?"
_NUMBERED = r"(?:\s*\((?:s|names?)\))?(?:\s*#?\d+(?:\.\d+)*)?"
_LABEL = re.compile(
    rf"(?:(?P<path>{_PATH_LABEL})|(?P<method>{_METHOD_LABEL})){_NUMBERED}(?:\s*(?:[:：=]|→|=>|[-–—]+>?(?=\s))\s*|\s+(?=[A-Z/]|https?:)|$)",
    re.IGNORECASE,
)
# Where one line holds several fields: `Method: GET | Path: /widgets`.
_BETWEEN_FIELDS = re.compile(
    rf"\s*(?:[|,;·•]|\s[-–—]\s|<br\s*/?>)?\s*(?=\b(?:{_PATH_LABEL}|{_METHOD_LABEL}){_NUMBERED}\s*[:：])", re.IGNORECASE
)
_TITLE = re.compile(r"(?P<title>[^/:：`{}]{1,80}?)\s*(?:[:：]|\s[-–—]+>?\s|→|=>|(?=[(\[]))\s*")
_NOTHING_MORE = re.compile(r"^[\s)\].:;!*]*(?:[\[(][^()]*[\])][.*_]*)?$")
_DESCRIBED = re.compile(r"^\s*[)\]]?\s*(?:[-–—]+>?\s|[:：]\s|→)")
# A section of calls that show what other sections declare.
_EXAMPLES = re.compile(
    r"(?:(?:manual|smoke|example|sample|the|running|usage|http|api)\s+)*(?:tests?|testing|examples?|samples?)(?:\s+(?:cases?|requests?|calls?|usage|plan|scenarios?))?",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\b(?:examples?|e\.?g\.?|samples?|try|instance|demo)\b", re.IGNORECASE)
# Words before an endpoint that refer to it, or say that it is not there, instead of declaring it.
_REFERENCE = re.compile(
    r"\b(?:not|no|never|un(?:supported|implemented)|without|removed|deprecated?|dropped|obsolete|legacy|former(?:ly)?|renamed|fixed|added|changed"
    r"|breaking|see|same|similar|instead|after|before|once|when|if|then|until|because|since|than|via|using|uses?"
    r"|calling|called|redirects?|replaces?|replaced|proxies|forwards?|upstream|external|consumes?|depends?|planned|future|todo|out of scope)\b",
    re.IGNORECASE,
)
# These refer too, but services also have notes, calls, followers and likes: not where the title says what is done with them.
_REFERENCE_OR_THING = re.compile(
    r"\b(?:note|notice|tip|warning|(?:un)?like|following|next|old|calls?|webhook)\b", re.IGNORECASE
)
_ACTION = re.compile(
    r"(?:accept|add|archive|cancel|clear|close|create|delete|edit|end|fetch|find|follow|get|handle|join|(?:un)?like (?:an?|the)\b|list|make|mark|modify"
    r"|post|publish|read|receive|register|remove|retrieve|save|search|send|share|show|start|stop|store|submit|unfollow|update|upload|view)"
    r"(?:s|ing)?\b",
    re.IGNORECASE,
)
# A wrapped sentence goes on from such a line: `... behaves the same as`.
_DANGLING = re.compile(
    r"(?:[,;(]|(?:^|\s)(?:as|after|to|with|by|calls?|the|a|an|via|using|from|and|or|of|like|than|see|what|which|where|when|before|on|in|for|is|are|that|same))$",
    re.I,
)


@dataclass
class LineReader:
    """Reads one line after another and remembers what the lines before have left open."""

    mentions: list[Mention] = field(default_factory=list)
    section: Section | None = None
    titled_path: Target | None = None
    """Of a heading that is a path: `### /widgets`."""
    item: tuple[Target, int] | None = None
    """Of a list item that is a path, and how far it is indented: its methods may be listed inside it."""
    methods: tuple[tuple[str, ...], int] | None = None
    """A `Method:` that still waits for its path, and its line."""
    target: tuple[Target, int] | None = None
    """A `Path:` that still waits for its method."""
    label: re.Match[str] | None = None
    """A label whose line ends behind it: its value is the next line."""

    def read(self, line: Line) -> None:
        text = plain(line.text)
        if line.kind is Kind.HEADING:
            self._enter(line, text)
        label, self.label = self.label, None
        if len(text) > MAX_LINE or self._phrase(line, text) or self._fields(line, text):
            return
        if label and self._value(label, text, line.number, line.section):
            return
        self._method_under_path(line, text)
        self._method_under_item(line, text)

    def read_fence(self, fence: Fence) -> None:
        """A fence of one line may be the value of the label before it."""
        label = _LABEL.match(plain(fence.introduced_by).rstrip(":：") or " ")
        value = fence.text.strip()
        if label and "\n" not in value and fence.section is (self.section or fence.section):
            self._value(label, plain(value), fence.number, fence.section)

    def finish(self) -> list[Mention]:
        """All mentions, in the order of their lines."""
        self._settle()
        return sorted(self.mentions, key=lambda mention: mention.line)

    def _enter(self, line: Line, text: str) -> None:
        self._settle()
        self.section, self.methods, self.target, self.label, self.item = line.section, None, None, None, None
        title = re.sub(r"^[\d.]+\s+", "", text)
        self.titled_path = read_target(title) or self._path_around(line.section)
        named = re.search(r"[(\[]\s*(?:HTTP\s+)?([A-Z]+)\s*[)\]]$", title)
        methods = (
            leading_methods(title)
            if re.fullmatch(r"[A-Z/,|& ]+", title)
            else leading_methods(named[1] if named else "")
        )
        if methods[0] and not methods[1].strip():
            self.methods = (methods[0], line.number)

    def _path_around(self, section: Section) -> Target | None:
        """The path that a heading around this one consists of, for `### /widgets` with `#### GET` inside."""
        titles = (read_target(plain(around.title)) for around in section.path()[1:])
        return next((target for target in titles if target), None)

    def _settle(self) -> None:
        """A method left without a path of its own takes the path of its heading."""
        if self.methods and self.titled_path and self.section:
            self._found(self.methods[0], self.titled_path, self.methods[1], Notation.METHOD_UNDER_PATH, self.section)
        self.methods = None

    def _phrase(self, line: Line, text: str) -> bool:
        if line.kind is Kind.CONTINUED and _DANGLING.search(plain(line.previous)):
            return False
        title = re.sub(r"^[\d.]+\s+", "", text) if line.kind is Kind.HEADING else text
        notation = Notation.HEADING if line.kind is Kind.HEADING else Notation.PHRASE
        phrases, shown = read_phrases(title), False
        if not phrases:
            label = _LABEL.match(title)
            if label and label["path"] and (phrases := read_phrases(with_slash(title[label.end() :]))):
                notation = Notation.LABELLED
            else:
                phrases, notation, shown = self._titled(title, notation)
        else:
            if line.kind is Kind.CONTINUED and not _follows_a_list(line.previous) and not _ends(phrases):
                return False
        shown = shown or (line.kind is not Kind.HEADING and _is_of_examples(line.section))
        for phrase in phrases:
            self._found(phrase.methods, phrase.target, line.number, notation, line.section, shown=shown)
        return bool(phrases)

    def _titled(self, text: str, notation: Notation) -> tuple[list[Phrase], Notation, bool]:
        title = _TITLE.match(text)
        if not title or len(title["title"].split()) > 8 or _refers(title["title"]):
            return [], notation, False
        phrases = read_phrases(text[title.end() :])
        bracketed = text[title.end() :].startswith(("(", "["))
        described = phrases and _DESCRIBED.match(phrases[-1].rest) and (bracketed or _ACTION.match(title["title"]))
        if not described and not _ends(phrases):
            return [], notation, False
        chosen = notation if notation is Notation.HEADING else Notation.TITLED
        return phrases, chosen, bool(_EXAMPLE.search(title["title"]))

    def _fields(self, line: Line, text: str) -> bool:
        found = False
        if is_base(text):
            return False
        for part in _BETWEEN_FIELDS.split(text):
            label = _LABEL.match(part)
            if label and label.end() == len(text) and line.kind is not Kind.HEADING:
                self.label = label
            elif label:
                found |= self._value(label, part[label.end() :], line.number, line.section)
            elif (self.methods or part != text) and (target := read_target(part)):
                self._path_field(target, line.number, line.section)
                found = True
        return found

    def _value(self, label: re.Match[str], value: str, number: int, section: Section) -> bool:
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
            target = read_target(value.split(" ")[0]) if value else None
            if target:
                self._path_field(target, number, section)
                return True
        return False

    def _path_field(self, target: Target, number: int, section: Section) -> None:
        if self.methods and number - self.methods[1] <= MAX_FIELD_DISTANCE:
            self._found(self.methods[0], target, number, Notation.FIELDS, section)
            self.methods = None
        else:
            self.target = (target, number)

    def _method_under_path(self, line: Line, text: str) -> None:
        if self.titled_path and line.kind is not Kind.HEADING:
            methods, _ = leading_methods(text)
            self._found(methods, self.titled_path, line.number, Notation.METHOD_UNDER_PATH, line.section)

    def _method_under_item(self, line: Line, text: str) -> None:
        if line.kind is not Kind.ITEM:
            return
        if self.item and line.indent > self.item[1]:
            methods, _ = leading_methods(text)
            self._found(methods, self.item[0], line.number, Notation.METHOD_UNDER_PATH, line.section)
            return
        target = read_target(text)
        self.item = (target, line.indent) if target else None

    def _found(
        self,
        methods: tuple[str, ...],
        target: Target,
        number: int,
        notation: Notation,
        section: Section,
        *,
        shown: bool = False,
    ) -> None:
        self.mentions += [Mention(method, target, number, notation, section, shown) for method in methods]


def _is_of_examples(section: Section) -> bool:
    return any(_EXAMPLES.fullmatch(plain(around.title).rstrip(" :.")) for around in section.path())


def _refers(title: str) -> bool:
    """Whether a title in front of an endpoint speaks of one that is declared elsewhere, or of none."""
    return bool(_REFERENCE.search(title) or (_REFERENCE_OR_THING.search(title) and not _ACTION.match(title)))


def _ends(phrases: list[Phrase]) -> bool:
    """Whether nothing but a remark in brackets follows."""
    return bool(phrases) and bool(_NOTHING_MORE.match(phrases[-1].rest))


def _follows_a_list(previous: str) -> bool:
    """Whether the line before is itself a phrase, a field, or the introduction of a list."""
    before = plain(previous)
    return before.endswith((":", "：")) or bool(read_phrases(before)) or bool(_LABEL.match(before))


def phrases_of_fence(fence: Fence) -> Iterator[tuple[int, Phrase]]:
    """The lines of a fence that begin with a method and a path."""
    for number, text in enumerate(fence.text.splitlines(), start=fence.number):
        for phrase in read_phrases(re.sub(r"^\s*(?:[$>#]\s+|\d+[.)]\s+|[-*]\s+|[│├└─|`+-]+\s+)?", "", text[:MAX_LINE])):
            yield number, phrase
