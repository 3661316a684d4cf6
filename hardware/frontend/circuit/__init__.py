"""The circuits, one function a file, in SKiDL; parts are defined in `catalogue`."""
