"""Certificates, and settings with which the proxy shows one."""

from __future__ import annotations

from pathlib import Path

import pytest
from servers import openssl_files
from servers.openssl_files import Certificates


@pytest.fixture(scope="module")
def certificates(module_folder: Path) -> Certificates:
    """A certificate for localhost."""
    return openssl_files.make(module_folder / "certificates", "localhost")


@pytest.fixture
def shown(certificates: Certificates) -> dict[str, str]:
    """Settings with which the proxy shows its certificate."""
    return {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}
