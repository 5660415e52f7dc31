"""Fills an empty NetBox by its API with an estate that has all traits that matter to its clients: python3 fill.py URL TOKEN."""

import estate.addresses  # noqa: F401 - each module fills the part that it names, after those that it imports
