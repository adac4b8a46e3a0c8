"""How long a training has to go at most, behind the line that it prints of every epoch."""

import re
import time
from collections.abc import Callable
from io import TextIOBase
from typing import TextIO

from study import progress

EPOCH = re.compile(r"epoch (\d+):")


class Remaining(TextIOBase):
    """Passes on what is printed, to be given to `contextlib.redirect_stdout`. Behind the line of an
    epoch stands what the epochs that are left take at the pace of those seen; a training that stops
    early takes less. One that goes on after a kill is timed from where it goes on.

    >>> import io
    >>> seconds = iter([0.0, 60.0, 200.0])
    >>> told = io.StringIO()
    >>> print("epoch 2: loss 0.5", file=Remaining(told, 5, lambda: next(seconds)))
    >>> told.getvalue()
    'epoch 2: loss 0.5; at most about 3 min left of this training\\n'
    """

    def __init__(self, to: TextIO, epochs: int, clock: Callable[[], float] = time.monotonic):
        self.to, self.epochs, self.clock = to, epochs, clock
        self.began = self.ended = clock()
        self.before = self.last = 0

    def write(self, text: str) -> int:
        """Write on a text, with the time left where it is the line of an epoch."""
        if found := EPOCH.match(text):
            text += self._left(int(found[1]))
        return self.to.write(text)

    def flush(self) -> None:
        """Flush what it writes to."""
        self.to.flush()

    def _left(self, epoch: int) -> str:
        now = self.clock()
        if epoch != self.last + 1:  # the first, of a training that goes on, or of the next one
            self.before = epoch - 1
        if epoch <= self.last:
            self.began = self.ended
        self.last, self.ended = epoch, now
        seconds = (now - self.began) / (epoch - self.before) * max(0, self.epochs - epoch)
        return f"; at most {progress.lasting(seconds)} left of this training" if seconds else ""
