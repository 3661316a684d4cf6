"""The circuits, one function a file; parts are defined in `catalogue`."""
