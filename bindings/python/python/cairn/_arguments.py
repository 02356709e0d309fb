"""Arguments that many functions have, looked at where they come in, so that a fault names its argument."""

from __future__ import annotations

import operator
import sys
from typing import Any, Iterable, List, Optional, Union

from ._errors import CairnError

# The extension counts in 64 bits.
_MOST = 2**64 - 1
# In seconds.
_CENTURY = 100 * 365 * 86400.0


def count(name: str, value: Any) -> int:
    """A whole number from 0 on."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` is a whole number, not `{type(value).__name__}`") from None
    if not 0 <= number <= _MOST:
        raise CairnError(f"`{name}` is a whole number from 0 to 2**64 - 1, not {number}")
    return number


def seconds(name: str, value: Any) -> float:
    """A time; one without end is as long as a century."""
    try:
        number = float(value + 0)
    except TypeError:
        raise TypeError(f"`{name}` is a number of seconds, not `{type(value).__name__}`") from None
    if not number >= 0:
        raise CairnError(f"`{name}` is a number of seconds from 0 on, not {value}")
    return min(number, _CENTURY)


def text(name: str, value: Any) -> Optional[str]:
    """A text or nothing."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"`{name}` is a `str`, not `{type(value).__name__}`")
    return value


def names(name: str, value: Union[str, Iterable[str]]) -> List[str]:
    """Names; one alone may come without a list."""
    if isinstance(value, str):
        return [value]
    try:
        found = list(value)
    except TypeError:
        raise TypeError(f"`{name}` is a name or a list of names, not `{type(value).__name__}`") from None
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"`{name}` holds names, not `{type(one).__name__}`")
    return found


def arrow(data: Any) -> Any:
    """What exports Arrow, as it is.

    Polars exports columns that are nothing but nulls with a buffer, which Arrow has not for these and which is
    refused by its letter. They are columns of text without any.
    """
    polars: Any = sys.modules.get("polars")
    if polars is None:
        return data
    if isinstance(data, polars.DataFrame) and polars.Null in data.dtypes:
        return data.cast({polars.Null: polars.String})
    if isinstance(data, polars.Series) and data.dtype == polars.Null:
        return data.cast(polars.String)
    return data
