"""What the Content-Security-Policy of a page allows."""

import base64
import hashlib

from bs4 import BeautifulSoup

NONE = ["'none'"]


def allowed(page):
    """Sources by directive; the policy must come before anything that loads or runs."""
    (policy,) = BeautifulSoup(page, "html.parser").find_all("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert {element.name for element in policy.find_all_previous()} <= {"html", "head", "meta"}
    return {name: sources for name, *sources in (part.split() for part in policy["content"].split(";"))}


def check_policy(page, *, images, scripts, styles=("'unsafe-inline'",)):
    """Nothing but images from those sources and these scripts; no other base address, no target of a form."""
    assert allowed(page) == {
        "default-src": NONE,
        "script-src": [*map(hashed, scripts)] or NONE,
        "style-src": [*styles],
        "img-src": images,
        "base-uri": NONE,
        "form-action": NONE,
    }


def hashed(content):
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
