"""A simulator of inextensible cloth: it bends and shears, and does not stretch.

>>> import taffeta
>>> sim = taffeta.Simulation("swing")
>>> report = sim.step(10)
>>> sim.positions.shape
(63, 3)

Units are SI: metres, seconds, kilograms, newtons; z is up. Arrays are copies unless their name says ``read``.
"""

from taffeta._taffeta import VERSION as __version__
from taffeta._taffeta import Batch, Camera, GripReading, Recorder, Recording, Simulation, StepReport, scenes
from taffeta.errors import Busy, Error, InvalidInput, RecordingError, SceneError, StepRefused
from taffeta.fitting import CaptureError, Estimate, Fit, fit
from taffeta.meshes import obj_text
from taffeta.pictures import png, save_png, tile
from taffeta.registration import register_environments

__all__ = [
    "Batch",
    "Busy",
    "Camera",
    "CaptureError",
    "Error",
    "Estimate",
    "Fit",
    "GripReading",
    "InvalidInput",
    "Recorder",
    "Recording",
    "RecordingError",
    "SceneError",
    "Simulation",
    "StepRefused",
    "StepReport",
    "__version__",
    "fit",
    "obj_text",
    "png",
    "save_png",
    "scenes",
    "tile",
]

register_environments()
