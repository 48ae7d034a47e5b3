"""How simulations, batches and recordings show themselves in notebooks."""

from __future__ import annotations

import base64
import html

import taffeta

# Numbers of places in a page: so that a notebook stays at some megabytes, long recordings are shown with fewer frames.
MOST_PLACES = 400_000

# Pictures of a batch, and how large they are, pixels.
MOST_PICTURES = 12
PICTURE = (240, 180)


def of_simulation(simulation: taffeta.Simulation) -> str:
    """The cloth as it is, in space."""
    return _titled(repr(simulation), framed(simulation.to_html()))


def of_recording(recording: taffeta.Recording) -> str:
    """The recording, to be played."""
    every = max(1, -(-len(recording) * recording.nodes // MOST_PLACES))
    return _titled(repr(recording), framed(recording.to_html(every)))


def of_batch(batch: taffeta.Batch) -> str:
    """Pictures of the first simulations, all from where the first one is seen from."""
    shown = [batch[k] for k in range(min(len(batch), MOST_PICTURES))]
    width, height = PICTURE
    camera = shown[0].camera(aspect=width / height)
    sheet = taffeta.tile([simulation.render(width, height, camera, supersample=2) for simulation in shown], columns=4)
    data = base64.b64encode(taffeta.png(sheet)).decode()
    rest = len(batch) - len(shown)
    failed = [k for k, has_failed in enumerate(batch.failed.tolist()) if has_failed]
    notes = [repr(batch)]
    notes += [f"the first {len(shown)} are shown"] if rest else []
    notes += [f"failed: {', '.join(map(str, failed[:20]))}{' …' if len(failed) > 20 else ''}"] if failed else []
    return _titled("; ".join(notes), f'<img alt="pictures of the simulations" style="max-width:100%" src="data:image/png;base64,{data}">')


def framed(page: str, height: int = 520) -> str:
    """A whole page in a frame that can run its scripts and reach nothing else: neither the notebook nor a network identity."""
    text = html.escape(page, quote=True)
    return f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" srcdoc="{text}"></iframe>'


def _titled(title: str, body: str) -> str:
    return f"<div><div style='font-family:monospace'>{html.escape(title)}</div>{body}</div>"
