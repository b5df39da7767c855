"""A client of the simulated Superbet on a real socket."""

import socket
from urllib.parse import urlsplit

import httpx

from scrapers import catalog
from scrapers.odds import Page
from scrapers.platforms import superbet
from scrapers.wire import Response
from simulator.state import clock
from tests.conftest import Simulator


def fetch(simulator: Simulator, client: httpx.Client) -> httpx.Response:
    request = superbet.requests(catalog.get("superbet").at(simulator.url), clock())[0]
    return client.get(request.url, params=dict(request.params), headers=dict(request.headers))


def page(answer: httpx.Response) -> Page:
    book = catalog.get("superbet")
    request = superbet.requests(book, clock())[0]
    return superbet.parse(book, Response(request, answer.status_code, {}, answer.content))


def raw_request(url: str) -> socket.socket:
    """A request whose answer nobody reads."""
    where = urlsplit(url)
    connection = socket.create_connection((where.hostname, where.port or 80))
    connection.sendall(b"GET /superbet/x HTTP/1.1\r\nHost: x\r\n\r\n")
    return connection
