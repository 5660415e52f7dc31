"""Reads an inventory by Nornir's plugin for NetBox, and prints its hosts as one line of JSON: use_nornir.py URL TOKEN."""

import json
import sys

from nornir import InitNornir
from nornir.core.plugins.inventory import InventoryPluginRegister
from nornir_netbox.plugins.inventory import NetBoxInventory2

InventoryPluginRegister.register("NetBox", NetBoxInventory2)


def load(**options):
    """Returns the groups, the platform and the address of each host."""
    nornir = InitNornir(
        inventory={"plugin": "NetBox", "options": {"nb_url": sys.argv[1], "nb_token": sys.argv[2], "use_platform_slug": True, **options}},
        logging={"enabled": False},
    )
    return {
        name: {"hostname": host.hostname, "platform": host.platform, "groups": sorted(group.name for group in host.groups)}
        for name, host in sorted(nornir.inventory.hosts.items())
    }


print(
    json.dumps(
        {
            "servers of a site": load(filter_parameters={"role": "server", "site": "fra1"}),
            "with machines, reachable": load(include_vms=True, filter_parameters={"has_primary_ip": "true", "status": "active", "tag": "monitored"}),
            "by a custom field": list(load(filter_parameters={"cf_support": "gold"})),
        },
        ensure_ascii=False,
    )
)
