"""Makes the admin of a NetBox with a token for its API: netbox shell < admin.py. The token is in the variable NETBOX_TOKEN."""

import os

from users.models import Token, User

admin = User.objects.create_superuser(username="admin", password=None)
Token.objects.create(user=admin, version=1, token=os.environ["NETBOX_TOKEN"])
