"""Reads exports of a recording with tools that know nothing of taffeta, and compares them with its arrays.

python exports.py RECORDING FOLDER EVERY: the folder holds obj/, ply/, and out.npz, .pc2, .csv, .usda, .glb of every so many frames.
"""

import json
import struct
import sys

import numpy as np
import trimesh
from pxr import Usd, UsdGeom

recording, folder, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
array = lambda name: np.load(f"{recording}/{name}.npy")
positions, velocities, times = (array(name)[::every] for name in ("positions", "velocities", "times"))
elements, held = array("elements"), array("held")[::every]
frames = range(0, len(array("times")), every)
single = positions.astype(np.float32)


def same(found, expected, what):
    assert found.shape == expected.shape, f"{what}: {found.shape}, not {expected.shape}"
    assert np.array_equal(found, expected), f"{what} is off by {np.abs(found - expected).max()}"


npz = np.load(f"{folder}/out.npz")
for name, expected in dict(
    positions=positions, velocities=velocities, times=times, elements=elements, held=held
).items():
    same(npz[name], expected, f"{name} of the NPZ")

triangles = sum(2 if element[3] >= 0 else 1 for element in elements)
for k, frame in enumerate(frames):
    for kind in ("obj", "ply"):
        mesh = trimesh.load(f"{folder}/{kind}/frame_{frame:05}.{kind}", process=False)
        same(np.asarray(mesh.vertices), positions[k], f"{kind} of frame {frame}")
        assert len(mesh.faces) == triangles, f"{kind} has {len(mesh.faces)} triangles, not {triangles}"

with open(f"{folder}/out.pc2", "rb") as file:
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", file.read(32))
    assert (magic, version, start, rate) == (b"POINTCACHE2\0", 1, 0, 1), "the header of the PC2"
    same(np.frombuffer(file.read(), "<f4").reshape(samples, points, 3), single, "PC2")

table = np.genfromtxt(f"{folder}/out.csv", delimiter=",", names=True)
for names, expected in ((("x_m", "y_m", "z_m"), positions), (("vx_m_s", "vy_m_s", "vz_m_s"), velocities)):
    same(np.stack([table[name] for name in names], -1).reshape(expected.shape), expected, "CSV")

stage = Usd.Stage.Open(f"{folder}/out.usda")
assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
cloth = UsdGeom.Mesh(stage.GetPrimAtPath("/World/Cloth"))
codes = cloth.GetPointsAttr().GetTimeSamples()
assert len(codes) == len(positions), f"{len(codes)} time samples"
same(np.array(cloth.GetFaceVertexIndicesAttr().Get()), elements[elements >= 0].ravel(), "faces of the USD")
for k, code in enumerate(codes):
    assert abs(code / stage.GetTimeCodesPerSecond() - times[k]) < 1e-6, f"time of frame {k} of the USD"
    same(np.array(cloth.GetPointsAttr().Get(code)), single[k], f"frame {k} of the USD")
poses = array("obstacle_pose")[::every]
bodies = [UsdGeom.Xformable(prim) for prim in stage.GetPrimAtPath("/World").GetChildren()[1:]]
assert len(bodies) == poses.shape[1], f"{len(bodies)} bodies"
for body, of_body in zip(bodies, poses.transpose(1, 0, 2)):
    translate, orient = body.GetOrderedXformOps()
    for code, pose in zip(codes, of_body):
        assert np.allclose(translate.Get(code), pose[:3], atol=1e-12), "place of a body of the USD"
        turn = orient.Get(code)
        assert np.allclose([turn.GetReal(), *turn.GetImaginary()], pose[3:], atol=2e-7), "turn of a body of the USD"

scene = trimesh.load(f"{folder}/out.glb", process=False)
upright = scene.graph.get("cloth")[0]
found = trimesh.transform_points(scene.geometry["cloth"].vertices, upright)
assert np.allclose(found[:, [0, 2, 1]] * [1, -1, 1], positions[0], atol=1e-6), "first frame of the glTF, z for y"
# No reader at hand knows morph targets: the container is taken apart by hand, as its specification says.
with open(f"{folder}/out.glb", "rb") as file:
    size = struct.unpack("<III", file.read(12))[2]
    chunk = lambda: file.read(struct.unpack("<II", file.read(8))[0])
    document, buffer = json.loads(chunk()), chunk()
    assert file.tell() == size, "length of the glTF"


def vectors(accessor):
    accessor = document["accessors"][accessor]
    start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
    return np.frombuffer(buffer, "<f4", 3 * accessor["count"], start).reshape(-1, 3).astype(float)


cloth = next(mesh for mesh in document["meshes"] if mesh["name"] == "cloth")["primitives"][0]
first = vectors(cloth["attributes"]["POSITION"])
for k, target in enumerate(cloth["targets"], 1):
    off = np.abs(first + vectors(target["POSITION"]) - positions[k]).max()
    assert off < 1e-7, f"frame {k} of the glTF is off by {off} m"
assert len(cloth["targets"]) == len(positions) - 1
print("alike")
