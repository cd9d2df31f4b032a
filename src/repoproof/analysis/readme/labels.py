"""Labels in front of what an endpoint consists of: `Method: GET`, `**Path**: `/widgets``, `Base URL: ...`, in a few languages."""

from __future__ import annotations

import re

_QUALIFIER = r"(?:(?:api|http|rest(?:ful)?|request|interface|endpoint|full|resource)\s+){0,4}"
PATH_LABEL = (
    rf"{_QUALIFIER}(?:apis?|endpoints?|interfaces?|routes?|ur[li]s?|paths?|resources?|requests?|names?|address|"
    r"(?:methods?|verbs?)\s*(?:and|&|\+|/)\s*(?:paths?|ur[li]s?|routes?|endpoints?)"
    r"|endpunkte?|schnittstelle|adresse|rutas?|direcci[oó]n|caminho|rota|endereço|chemin|route|percorso|indirizzo|pfad|адрес|путь|маршрут"
    r"|(?:接口|请求|访问)?(?:路径|地址|路由)|接口|端点|エンドポイント|パス|경로|엔드포인트)"
)
METHOD_LABEL = (
    r"(?:(?:api|http|rest|request|supported|allowed|available|accepted)[\s-]+){0,4}(?:methods?|verbs?|types?|operations?|m[ée]todos?|m[ée]thodes?|methoden?|metodo|метод"
    r"|(?:http\s*)?(?:请求)?(?:方法|方式)|(?:请求)?类型|メソッド|메서드)(?:\s+http)?"
)
_NUMBERED = r"(?:\s*\((?:s|names?)\))?(?:\s*#?\d+(?:\.\d+)*)?"
LABEL = re.compile(
    rf"(?:the\s+(?=\w+\s+is\s))?(?:(?P<path>{PATH_LABEL})|(?P<method>{METHOD_LABEL})){_NUMBERED}"
    r"(?:\s*(?:[:：=]|→|=>|[-–—]+>?(?=\s)|\b(?:is|ist|es|est)(?=\s+/))\s*|\s+(?=[A-Z/]|https?:)|$)",
    re.IGNORECASE,
)
# Where one line holds several fields: `Method: GET | Path: /widgets`.
BETWEEN_FIELDS = re.compile(
    rf"\s*(?:[|,;·•，；]|\s[-–—]\s|<br\s*/?>)?\s*(?=(?<![\w/{{-])(?:{PATH_LABEL}|{METHOD_LABEL}){_NUMBERED}\s*[:：])",
    re.IGNORECASE,
)
