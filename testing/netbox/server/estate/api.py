"""The API of an empty NetBox, and how its objects are made. The URL and the token are arguments of the program."""

import sys

import pynetbox

URL, TOKEN = sys.argv[1:3]
nb = pynetbox.api(URL, token=TOKEN)


def create(app, kind, *rows):
    """Creates the objects of one list in one request. Returns their numbers by name."""
    made = getattr(getattr(nb, app), kind).create(list(rows))
    return {row.get("name") or row.get("model") or row.get("address"): made[i].id for i, row in enumerate(rows)}


def slugs(*rows):
    """Rows of a name, a slug and other fields."""
    return [{"name": name, "slug": slug, **more} for name, slug, more in rows]
