"""PostgreSQL's client encodings as Python codecs.

Only encodings in which every byte below 128 is that ASCII character, also inside multi-byte characters, can
be scanned safely; the others (SJIS, BIG5, GBK, …) hide quotes inside characters.
"""

from __future__ import annotations

_CODECS = {
    "UTF8": "utf-8",
    "UNICODE": "utf-8",
    "SQL_ASCII": "utf-8",
    "LATIN1": "iso8859-1",
    "LATIN2": "iso8859-2",
    "LATIN3": "iso8859-3",
    "LATIN4": "iso8859-4",
    "LATIN5": "iso8859-9",
    "LATIN6": "iso8859-10",
    "LATIN7": "iso8859-13",
    "LATIN8": "iso8859-14",
    "LATIN9": "iso8859-15",
    "LATIN10": "iso8859-16",
    "ISO_8859_5": "iso8859-5",
    "ISO_8859_6": "iso8859-6",
    "ISO_8859_7": "iso8859-7",
    "ISO_8859_8": "iso8859-8",
    "KOI8R": "koi8-r",
    "KOI8U": "koi8-u",
    "WIN866": "cp866",
    "WIN874": "cp874",
    "WIN1250": "cp1250",
    "WIN1251": "cp1251",
    "WIN1252": "cp1252",
    "WIN1253": "cp1253",
    "WIN1254": "cp1254",
    "WIN1255": "cp1255",
    "WIN1256": "cp1256",
    "WIN1257": "cp1257",
    "WIN1258": "cp1258",
    "EUC_JP": "euc_jp",
    "EUC_KR": "euc_kr",
    "EUC_CN": "gb2312",
}


def codec_for(client_encoding: str) -> str | None:
    """Python's codec for a client_encoding as ParameterStatus reports it; None when it cannot be scanned."""
    return _CODECS.get(client_encoding.upper())


def encode(text: str, codec: str) -> bytes:
    """`text` in a codec of `codec_for`; UnicodeEncodeError when it cannot be expressed.

    A codec may write a character as another one (EUC_JP has no yen sign and writes a backslash): what was
    checked would not be what is sent, so that counts as not expressible.
    """
    encoded = text.encode(codec)
    if encoded.decode(codec, "replace") != text:
        raise UnicodeEncodeError(codec, text, 0, len(text), "a character would become another one")
    return encoded
