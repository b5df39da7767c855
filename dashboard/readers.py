"""What a request tells of its reader: language, theme and session."""

from starlette.requests import Request

from dashboard.access import COOKIE, Access
from dashboard.replies import Statics
from dashboard.view import Frame
from dashboard.words import LANGUAGES, SPEAKERS, choose

THEMES = ("light", "dark")
CHOICES = {"lang": LANGUAGES, "theme": THEMES}


def choices(request: Request) -> dict[str, str]:
    """What the reader chose just now, by a link."""
    return {
        name: value
        for name, allowed in CHOICES.items()
        if (value := request.query_params.get(name)) in allowed and value
    }


def language_of(request: Request) -> str:
    chosen = request.query_params.get("lang") or request.cookies.get("lang")
    return choose(request.headers.get("accept-language", ""), chosen)


def session_of(request: Request) -> str:
    return request.cookies.get(COOKIE, "")


def frame_of(request: Request, access: Access, statics: Statics) -> Frame:
    theme = request.cookies.get("theme", "")
    return Frame(
        words=SPEAKERS[language_of(request)],
        theme=theme if theme in THEMES else "",
        path=request.url.path,
        may_act=access.is_session(session_of(request)),
        can_log_in=access.is_possible,
        styles=statics.addresses["page.css"],
        script=statics.addresses["page.js"],
    )
