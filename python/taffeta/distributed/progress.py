"""How far a long call has got, on the terminal."""

from __future__ import annotations

import sys
import time
from typing import Any

# Wall time between lines of the bar, s.
_INTERVAL = 0.1
_WIDTH = 30


class Bar:
    """A bar: that of tqdm where it is installed, otherwise a plain one."""

    def __init__(self, total: int, show: bool | None) -> None:
        """Begins with nothing done. Without ``show``, it is shown where somebody looks at the terminal."""
        self._total, self._done, self._failed, self._begun, self._drawn = total, 0, 0, time.monotonic(), 0.0
        self._show = sys.stderr.isatty() if show is None else show
        self._tqdm: Any = None
        if self._show:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._tqdm = tqdm(total=total, unit="job")

    def add(self, done: int, failed: int = 0) -> None:
        """So many more are done, and so many of these failed."""
        self._done, self._failed = self._done + done, self._failed + failed
        if self._tqdm is not None:
            self._tqdm.update(done)
            if self._failed:
                self._tqdm.set_postfix(failed=self._failed)
        elif self._show and (time.monotonic() - self._drawn > _INTERVAL or self._done == self._total):
            self._drawn = time.monotonic()
            sys.stderr.write(f"\r{self.text()}")
            sys.stderr.flush()

    def text(self) -> str:
        """The plain bar."""
        full = _WIDTH * self._done // max(1, self._total)
        left = (time.monotonic() - self._begun) / max(1, self._done) * (self._total - self._done)
        failed = f", {self._failed} failed" if self._failed else ""
        return f"[{'#' * full}{'.' * (_WIDTH - full)}] {self._done}/{self._total}{failed}, {left:.0f} s left "

    def close(self) -> None:
        """Ends the line."""
        if self._tqdm is not None:
            self._tqdm.close()
        elif self._show and self._done:
            sys.stderr.write("\n")
