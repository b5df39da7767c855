"""The simulator as a process: how it starts, and that it ends when told to."""

import socket
import subprocess

import pytest

from tests.conftest import Simulator, listening_at, start_simulator
from tests.simulator.client import raw_request


@pytest.mark.parametrize("fault", ["hang", "huge", "slow"])
def test_sigterm_ends_the_simulator_while_a_fault_holds_a_connection(fault: str) -> None:
    with start_simulator() as process:
        simulator = Simulator(listening_at(process))
        simulator.fault("superbet", fault, delay=3000)
        with raw_request(simulator.url):
            while simulator.requests("superbet")["open"] == 0:
                pass
            simulator.close()
            process.terminate()
            assert process.wait(timeout=60) == 0


def test_a_taken_port_is_told_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, start_simulator_on(taken.getsockname()[1]) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot listen on 127.0.0.1 port" in errors
    assert "Traceback" not in errors


def test_sigint_is_a_clean_end_too() -> None:
    with start_simulator() as process:
        listening_at(process)
        process.send_signal(2)
        assert process.wait(timeout=60) == 0


def start_simulator_on(port: int) -> "subprocess.Popen[str]":
    return start_simulator(port, stderr=subprocess.PIPE)
