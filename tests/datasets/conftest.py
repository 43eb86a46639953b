import hashlib
import io
import socket
from email.message import Message

import pytest

from copa_nb.datasets import download, registry


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise socket.gaierror("tests do not use the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    """No mirror and an empty cache."""
    monkeypatch.delenv(registry.MIRROR_VARIABLE, raising=False)
    monkeypatch.delenv(registry.OFFLINE_VARIABLE, raising=False)
    monkeypatch.setenv(registry.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


class Address:
    """A public address without a network: what it holds and how often it was asked."""

    def __init__(self, content):
        self.content = content
        self.announced = None
        self.n_downloads = 0

    def __call__(self, request, timeout):
        self.n_downloads += 1
        answer = io.BytesIO(self.content)
        answer.headers = Message()
        if self.announced is not None:
            answer.headers["Content-Length"] = str(self.announced)
        return answer


@pytest.fixture
def address(monkeypatch, nothing_here):
    """Registry of one small file whose address is under the test's control."""
    content = b"model,score\na,1\n"
    entry = registry.PublicFile(
        name="small",
        file="small.csv",
        url="https://example.org/small.csv",
        sha256=hashlib.sha256(content).hexdigest(),
        n_bytes=len(content),
        n_rows=1,
        license="none",
        what="a small file",
    )
    held = Address(content)
    monkeypatch.setattr(registry, "public_files", lambda: {"small": entry})
    monkeypatch.setattr(download, "urlopen", held)
    return held
