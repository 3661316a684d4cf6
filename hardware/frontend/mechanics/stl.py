"""Binary STL of a solid: the same bytes for the same solid."""

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

HEAD = b"resume-rig, printed part, millimetres"
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])


def facets_of(solid: Manifold) -> NDArray[np.float64]:
    """Return the corners of a solid's triangles: float64 [n, 3 corners, 3 axes], sorted."""
    mesh = solid.to_mesh64()
    corners = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3].round(4) + 0.0
    facets = corners[np.asarray(mesh.tri_verts, dtype=np.int64)]
    order = np.lexsort(facets.reshape(len(facets), 9).T[::-1])
    return facets[order]


def stl_of(solid: Manifold) -> bytes:
    """Return the file's bytes."""
    facets = facets_of(solid)
    normals = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.zeros(len(facets), dtype=FACET)
    rows["normal"] = normals / np.where(lengths > 0, lengths, 1.0)
    rows["corners"] = facets
    return HEAD.ljust(80) + len(facets).to_bytes(4, "little") + rows.tobytes()
