"""Closed lists of words that say that an endpoint is not there, or is somebody else's. Each is read in the languages of our readers."""

from __future__ import annotations

import re

_ABSENT = (
    r"not\s+(?:yet\s+|currently\s+)?(?:supported|implemented|available|exposed|provided|offered|served|part\b|included|in scope)"
    r"|unsupported|unimplemented|no longer(?:\s+\w+)?|coming soon|out of scope"
    r"|(?:noch\s+)?nicht\s+(?:mehr\s+)?(?:unterstützt|implementiert|verfügbar|vorgesehen|vorhanden|angeboten|umgesetzt|erlaubt)"
    r"|no\s+(?:está\s+)?(?:soportad|implementad|disponible|permitid)\w*|non\s+(?:supporté|implémenté|disponible|pris)\w*|não\s+(?:suportad|implementad|disponív)\w*"
    r"|(?:暂|尚|目前)?(?:不支持|未支持|不提供|未实现|不可用|未开放)|(?:サポート|対応)されて(?:いない|いません)|未対応|未実装"
)
# Alone they may say something else: a dropped table, a removed item.
_GONE = (
    r"removed|deprecated|dropped|planned|obsolete|entfernt|veraltet|geplant|obsolet[oa]?|eliminad[oa]|supprimée?|obsolète|removid[oa]"
    r"|已?(?:废弃|弃用|移除|删除|下线)|計画中|廃止|非推奨"
)
_BE = r"(?:is|are|was|were|has been|have been|will be|ist|sind|wird|wurden?|está|es|est|foi)"

_ADVERB = r"(?:now\s+(?!GET|POST|PUT|PATCH|DELETE)|currently\s+|intentionally\s+|deliberately\s+)?"
_ADJECTIVE = rf"(?:{_GONE}|missing|absent|omitted|left out|forbidden|disabled|gone|todo|tbd|wip)"
# `Removed`, `planned for 3.0`, but not `Planned trips`: what is served may be called so as well.
_ALONE = r"\s*(?:$|[.!?:;,，。；：()\[\]（）*_–—-]|\b(?:in|since|for|as of|by|and|but|use|seit|ab|für|endpoints?|version|alias)\b)"

# Said right after an endpoint, these say that it is not there.
_REFUSAL = re.compile(
    rf"^[^\w❌✗✘🚫⛔]*(?:{_BE}\s+{_ADVERB}{_ADJECTIVE}(?![\w-])|{_ADVERB}{_ADJECTIVE}{_ALONE}|deprecated\b|(?:{_BE}\s+)?{_ADVERB}"
    rf"(?:{_ABSENT}|not\s+(?:allowed|required)|does not exist|doesn't exist|must not exist"
    r"|(?:moved|renamed|replaced|superseded)\s+(?:to|by|with)\b|now\s+(?:GET|POST|PUT|PATCH|DELETE)\b|reject(?:s|ed)\b|[❌✗✘🚫⛔]"
    r"|(?:wird|kommt)\b[^.]{0,40}\b(?:später|künftig)\w*|gibt es nicht|ya no\b|n'existe (?:pas|plus)|não existe|不存在"
    r"|(?:returns?|responds?(?:\s+with)?|answer(?:s|ed)?(?:\s+with)?|gives|yields)?\W*(?:405|501|(?:404|410)\b(?![^.]*\b(?:if|when|unless|otherwise|where|for|20\d)\b))\b))",
    re.IGNORECASE,
)
# The same of a cell, a field, or a remark under the title of an endpoint: `Deprecated since 2.0.`, `Status: planned`.
_GONE_REMARK = re.compile(
    rf"^[^\w/]*(?:status\W+)?(?:(?:this endpoint|it|this)\s+)?(?:(?:{_BE}\s+)?(?:{_ABSENT})|{_BE}\s+(?:{_GONE})(?![\w-])|(?:{_GONE}|todo|tbd|wip){_ALONE}|deprecated\b)",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\b(?:outside(?: of)?|without|not under|no|ohne|außerhalb)\b[^.,;]{0,20}\b(?:base (?:path|url)|(?:\w+ )?prefix|basispfad\w*|präfix\w*)\b",
    re.IGNORECASE,
)
_ENDPOINTS = r"(?:endpoints?|routes?|apis?|methods?|operations?|paths?|requests?|calls?|endpunkte?|routen|接口|端点|rutas?|rotas?)"
# Said in front of a list, a table or a block, these say so of all of it.
# `... not available` is said of them; `... not available to guests` says that they are there.
_TAIL = (
    r"(?:\s+(?:yet|any ?more|currently|at the moment|for now|here|by (?:this|the) (?:service|api|server)|in (?:this|the (?:current|first)) (?:version|release)"
    r"|(?:in|since|with|as of|seit|ab)\s+(?:version\s+)?v?\d[\w.]*))?"
)
_DENIAL = re.compile(
    rf"^(?:.{{0,60}}(?<!\w)(?:(?:{_ABSENT})(?:的?{_ENDPOINTS})?|do(?:es)? not (?:support|implement|provide|offer|expose|have|include)(?: (?:the |these |any of the )?(?:following )?(?:{_ENDPOINTS})?)?){_TAIL}"
    rf"|(?:what |the |these |following |all |our |die |folgenden? |以下)*(?:{_ENDPOINTS}\s+)?(?:(?:that|which)\s+)?(?:{_BE}\s+)?(?:now\s+)?(?:{_GONE})(?:的)?(?:\s*{_ENDPOINTS})?{_TAIL}"
    r"|(?:it|we|the \w+|this \w+)\s+(?:also\s+|itself\s+)?(?:calls?|uses?|consumes?|depends on|talks to|sends?)\b.{0,60}\b(?:other|external|upstream|downstream|third[- ]party)\b.{0,60})\s*[:：.]?$",
    re.IGNORECASE,
)

# Sections about endpoints that this service does not serve, or serves no more.
_ELSEWHERE = re.compile(
    r"(?:change ?log|changes|release notes|what'?s new|(?:version|revision|release) history|history of changes"
    r"|(?:migrat(?:ions?|ing)|upgrad(?:es?|ing))(?:\s+(?:guides?|notes?|instructions|steps|plan|path|from|to)\b.*)?"
    rf"|removed(?:\s+(?:in|since|with|from|features?|{_ENDPOINTS})\b.*)?"
    r"|(?:deprecated|unsupported|unimplemented|not (?:yet )?(?:supported|implemented|included|available))\b.*"
    r"|(?:known )?limitations|out[ -]of[ -]scope|non-?goals|roadmap|future(?!s)\b.*|planned(?:\s+(?:for|in|features?|work|improvements?|additions?|extensions?|changes|enhancements?|versions?|releases?|endpoints?|apis?|routes?)\b.*)?|todos?|ideas|alternatives(?: considered)?"
    r"|(?:front-?end|ui|client(?:-side)?|web ?app|browser|page) (?:routes?|pages?|paths?|urls?|navigation)|pages|screens|(?:front-?end|web ui|ui)"
    r"|(?:external|third[- ]party|upstream|downstream|consumed|outgoing)\b.*(?:apis?|services?|endpoints?|calls?|webhooks?)|(?:.*\s)?other\s+(?:micro)?services?\b.*|dependencies|licen[cs]es?|contributing"
    r"|unreleased|releases?\s+v?\d[\d.]*\b.*"
    r"|änderungen|änderungsprotokoll|versionshistorie|veraltete?\b.*|entfernt(?:e endpunkte)?|nicht (?:mehr )?(?:unterstützt|implementiert|enthalten)\b.*|geplant(?:e (?:endpunkte|funktionen|erweiterungen))?|ausblick"
    r"|historial de cambios|registro de cambios|obsolet[oa]s?\b.*|hoja de ruta|journal des modifications|obsolètes?\b.*|feuille de route|registro de alterações"
    r"|(?:更新|变更|版本)(?:日志|记录|历史|说明)|(?:已?(?:废弃|弃用|移除)|(?:暂)?(?:不支持|未支持|未实现))的?(?:接口|端点|功能)?|路线图|変更履歴|更新履歴)",
    re.IGNORECASE,
)
# Of these and of the sections below, what a service may well serve.
_RESOURCE = re.compile(
    r"(todo|idea|alternative|page|screen|change|migration|upgrade|limitation|licen[cs]e|dependenc|client|revision|version|release"
    r"|test|example|sample|environment|deployment|configuration|installation|setup|run|benchmark|monitor|demo|tutorial|requirement|verification)"
    r"(s|ies)?(?:\s+(history|routes?))?",
    re.IGNORECASE,
)
# `[1.2.0] - 2024-01-01`: an entry of a changelog that has no heading of its own.
_RELEASE = re.compile(
    r"^\W*(?:version\s+|release\s+)?v?\d+\.\d+(?:\.\d+)?[\w.+-]*\W+(?:\w+\s+)?(?:\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})",
    re.I,
)
# Sections that show how to run the service: calls in them do not declare anything.
_SETTING_UP = re.compile(
    r"(?:quick ?start|getting started|install(?:ation|ing)?|set-?up|setup|prerequisites|requirements|usage|running|run\b|start(?:ing)?\b|deploy|docker|test(?:s|ing)?\b"
    r"|examples?\b|demo|walk-?through|tutorial|try|health ?check|verif|troubleshoot|debug|develop|configur|environment|performance|benchmark|monitor"
    r"|schnellstart|erste schritte|inbetriebnahme|konfiguration|快速开始|快速上手|安装|部署|运行|启动|配置|测试|示例)",
    re.IGNORECASE,
)

# Words before an endpoint that refer to it, or say that it is not there, instead of declaring it.
_REFERENCE = re.compile(
    r"\b(?:not|no|never|un(?:supported|implemented)|without|removed|deprecated?|dropped|obsolete|legacy|former(?:ly)?|renamed|fixed|added|changed"
    r"|breaking|see|same|similar|instead|after|before|once|when|if|then|until|because|since|than|via|using|uses?"
    r"|calling|called|redirects?|replaces?|replaced|proxies|forwards?|upstream|external|consumes?|depends?|planned|future|todo|out of scope"
    r"|nicht|siehe|statt|entfernt|veraltet|véase)\b|参见|见(?=\s|$)|不支持|已?废弃|已?移除",
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


def is_refused(text: str) -> bool:
    """Whether plain `text`, said about an endpoint, says that it is not there."""
    return bool(_REFUSAL.match(text))


def is_outside(text: str) -> bool:
    """Whether plain `text` behind an endpoint says that no base path is missing in front of it."""
    return bool(_OUTSIDE.search(text))


def is_gone(text: str) -> bool:
    """Whether plain `text` of a cell, a field or a remark says that an endpoint is not there. `404` does not: it may be one of the answers."""
    return bool(_GONE_REMARK.match(text))


def is_denial(text: str) -> bool:
    """Whether plain `text` says of the list after it that its endpoints are not there, or somebody else's."""
    return len(text) <= 200 and bool(_DENIAL.match(text))


def refers(title: str) -> bool:
    """Whether a title in front of an endpoint speaks of one that is declared elsewhere, or of none."""
    return bool(_REFERENCE.search(title) or (_REFERENCE_OR_THING.search(title) and not is_action(title)))


def is_action(title: str) -> bool:
    """Whether a title begins with what is done: `Create a note`."""
    return bool(_ACTION.match(title))


def resource(title: str) -> tuple[str, bool] | None:
    """What a section of this plain title is about if that may be a resource as well: its stem, and whether the title means many."""
    known = _RESOURCE.fullmatch(_name(title))
    return (known[1].lower(), bool(known[2] or known[3])) if known else None


def is_elsewhere(title: str) -> bool:
    """Whether a section of this plain title is about endpoints that this service does not serve."""
    name = _name(title)
    remark = re.search(r"[(（]([^()（）]*)[)）]$", name)
    return bool(
        _ELSEWHERE.fullmatch(name) or is_denial(name) or (remark and is_denial(remark[1])) or _RELEASE.match(title)
    )


def is_setting_up(title: str) -> bool:
    """Whether a section of this plain title shows how to run the service."""
    return bool(_SETTING_UP.match(_name(title)))


def _name(title: str) -> str:
    return re.sub(r"^[\W\d_]+", "", title).rstrip(" :.：")
