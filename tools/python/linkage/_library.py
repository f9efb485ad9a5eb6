# SPDX-License-Identifier: Apache-2.0
"""The shared libraries. Every call into them releases the interpreter's lock."""
from __future__ import annotations

from ._bindings import ffi

__all__ = ['core', 'ffi', 'get_analysis', 'get_client', 'text_of']

core = ffi.dlopen('liblinkage.so.0')
_client = None
_analysis = None


def get_analysis():
    """liblinkage-analysis with LAPACK, loaded when small motions are first asked for."""
    global _analysis
    if _analysis is None:
        _analysis = ffi.dlopen('liblinkage-analysis.so.0')
    return _analysis


def get_client():
    """liblinkage-client, loaded when a daemon is first asked for."""
    global _client
    if _client is None:
        _client = ffi.dlopen('liblinkage-client.so.0')
    return _client


def text_of(pointer) -> str:
    """A C string; "" for NULL."""
    return ffi.string(pointer).decode('utf-8', 'replace') if pointer else ''
