"""A board's port for other machines: an RFC 2217 server."""
