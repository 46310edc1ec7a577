"""Groups and versions that other servers serve: whether they can, what they publish, and requests handed on to them."""
