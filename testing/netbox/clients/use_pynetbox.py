"""Reads and writes by pynetbox, and prints what it has seen, one line of JSON a step: use_pynetbox.py URL TOKEN."""

import json
import sys

import pynetbox

nb = pynetbox.api(sys.argv[1], token=sys.argv[2])


def show(step, seen):
    print(json.dumps({step: seen}, ensure_ascii=False))


def refused(action):
    """Returns the status and the message of the error that an action must raise."""
    try:
        action()
    except pynetbox.RequestError as error:
        return [error.req.status_code, error.error]
    except pynetbox.AllocationError as error:
        return [error.req.status_code, error.error]
    raise SystemExit("no error")


# Reads.
show("version", nb.version)
show("devices of a site", [device.name for device in nb.dcim.devices.filter(site="fra1", ordering="name")])
show("pages", len(list(nb.dcim.interfaces.filter(limit=5))))
show("count", nb.dcim.devices.count(role="server"))
server = nb.dcim.devices.get(name="srv-fra-1")
show(
    "device",
    [server.serial, server.asset_tag, str(server.role), str(server.device_type), str(server.site), server.status.value, str(server.primary_ip)],
)
show("custom fields", server.custom_fields)
show("interfaces", [[port.name, port.type.value, port.enabled] for port in nb.dcim.interfaces.filter(device_id=server.id, ordering="name")])
show("nested details", nb.dcim.devices.get(name="srv-fra-1").device_type.manufacturer.name)
show("choices", sorted(choice["value"] for choice in nb.ipam.prefixes.choices()["status"]))
show("none", nb.dcim.devices.get(name="there is none"))

# A server with its network.
prefix = nb.ipam.prefixes.create(prefix="10.66.0.0/28", description="pynetbox", scope_type="dcim.site", scope_id=nb.dcim.sites.get(slug="fra1").id)
show("free", [str(free) for free in prefix.available_ips.list()][:3])
first = prefix.available_ips.create({"dns_name": "py-1.example.net", "description": "First"})
show("first", [first.address, first.dns_name, first.description])
show("two more", [one.address for one in prefix.available_ips.create([{}, {}])])
device = nb.dcim.devices.create(
    name="py-server",
    role=nb.dcim.device_roles.get(name="Server").id,
    device_type=nb.dcim.device_types.get(model="PowerEdge R650").id,
    site={"slug": "fra1"},
    status="planned",
)
port = nb.dcim.interfaces.create(device=device.id, name="eth0", type="1000base-t")
first.assigned_object_type = "dcim.interface"
first.assigned_object_id = port.id
show("assigned", [first.save(), nb.ipam.ip_addresses.get(first.id).assigned_object.name])
device.primary_ip4 = first.id
show("primary", [device.save(), str(nb.dcim.devices.get(device.id).primary_ip4)])
show("same again", device.update({"status": "planned"}))
show("updated", [device.update({"serial": "PY-1"}), nb.dcim.devices.get(serial="PY-1").name])
show("addresses of the device", [str(one) for one in nb.ipam.ip_addresses.filter(device="py-server")])
show("blocks", [str(block) for block in nb.ipam.prefixes.get(prefix="10.4.0.0/24").available_prefixes.list()])
show("block", str(nb.ipam.prefixes.get(prefix="10.4.0.0/24").available_prefixes.create({"prefix_length": 26, "description": "A block"})))

# Errors.
show("duplicate", refused(lambda: nb.ipam.ip_addresses.create(address=first.address)))
show("bad prefix", refused(lambda: nb.ipam.prefixes.create(prefix="10.66.0.1/28")))
show("missing field", refused(lambda: nb.dcim.sites.create(slug="x")))
show("full", refused(lambda: prefix.available_ips.create([{} for _ in range(20)])))
show("gone", nb.dcim.devices.get(999999999))

# The end.
show("bulk", [tag.name for tag in nb.extras.tags.create([{"name": "py a", "slug": "py-a"}, {"name": "py b", "slug": "py-b"}])])
show("bulk deletion", nb.extras.tags.delete(nb.extras.tags.filter(name=["py a", "py b"])))
show("deletion", [device.delete(), nb.dcim.devices.get(name="py-server")])
