"""Interfaces, cables and virtual machines."""

from .api import create, nb, slugs
from .devices import devices, platforms, roles
from .networks import vlans
from .places import sites, tenants


def ports(device_name, *names, **more):
    return [{"device": devices[device_name], "name": name, "type": "1000base-t", **more} for name in names]


def interfaces(*rows):
    made = nb.dcim.interfaces.create(list(rows))
    return {(row["device"], row["name"]): made[i].id for i, row in enumerate(rows)}


first = interfaces(
    *[{"device": devices[name], "name": "Port-channel1", "type": "lag"} for name in ("sw-fra-1", "sw-fra-2")],
    *ports("srv-fra-1", "eth0", speed=1000000, mtu=9000),
    *ports("sw-fra-1", "Vlan10", type="virtual"),
    *ports("sw-fra-2", "Vlan10", type="virtual"),
    *ports("spine-fra", "et-0/0/1", type="100gbase-x-qsfp28"),
    *ports("spine-fra", "em0", mgmt_only=True),
    *ports("srv-fra-2", "eth0", "eth1"),
    *ports("srv-fra-3", "eth0"),
    *ports("srv-münchen-1", "Büro 1", description="Kabel an der Wand"),
    *ports("gw-muc", "wan", "lan"),
    *ports("gw-vie", "wan"),
    *ports("srv-old", "eth0", enabled=False),
)


def iface(device_name, name):
    return first[(devices[device_name], name)]


lag1, lag2 = iface("sw-fra-1", "Port-channel1"), iface("sw-fra-2", "Port-channel1")
first.update(
    interfaces(
        *ports("sw-fra-1", "Gi1/0/1", mode="access", untagged_vlan=vlans["servers"], description="srv-fra-1"),
        *ports("sw-fra-1", "Gi1/0/2", mode="tagged", untagged_vlan=vlans["servers"], tagged_vlans=[vlans["voice"]]),
        *ports("sw-fra-1", "Gi1/0/47", "Gi1/0/48", lag=lag1),
        *ports("sw-fra-2", "Gi1/0/1"),
        *ports("sw-fra-2", "Gi1/0/47", "Gi1/0/48", lag=lag2),
        *ports("srv-fra-1", "eth0.20", type="virtual", parent=iface("srv-fra-1", "eth0"), mode="access", untagged_vlan=vlans["voice"]),
    )
)
macs = nb.dcim.mac_addresses.create(
    [
        {"mac_address": mac, "assigned_object_type": "dcim.interface", "assigned_object_id": iface(*owner)}
        for mac, owner in [
            ("52:54:00:AA:00:01", ("srv-fra-1", "eth0")),
            ("52:54:00:AA:00:02", ("srv-fra-2", "eth0")),
            ("52:54:00:AA:00:03", ("srv-fra-2", "eth1")),
            ("00:1C:73:00:00:01", ("sw-fra-1", "Vlan10")),
        ]
    ]
)
nb.dcim.interfaces.update([{"id": mac.assigned_object_id, "primary_mac_address": mac.id} for mac in macs])


def end(device_name, name):
    return [{"object_type": "dcim.interface", "object_id": iface(device_name, name)}]


create(
    "dcim",
    "cables",
    {
        "a_terminations": end("sw-fra-1", "Gi1/0/1"),
        "b_terminations": end("srv-fra-1", "eth0"),
        "type": "cat6",
        "status": "connected",
        "label": "C-1",
        "length": 3,
        "length_unit": "m",
        "color": "ffeb3b",
    },
    {"a_terminations": end("sw-fra-1", "Gi1/0/47"), "b_terminations": end("sw-fra-2", "Gi1/0/47"), "type": "cat6a"},
    {"a_terminations": end("sw-fra-1", "Gi1/0/48"), "b_terminations": end("sw-fra-2", "Gi1/0/48"), "status": "planned"},
)

# Virtual machines.
vsphere = create("virtualization", "cluster_types", *slugs(("vSphere", "vsphere", {})))["vSphere"]
prod = create("virtualization", "cluster_groups", *slugs(("Production", "production", {})))["Production"]
clusters = create(
    "virtualization",
    "clusters",
    {"name": "CL-FRA", "type": vsphere, "group": prod, "scope_type": "dcim.site", "scope_id": sites["FRA1"], "tenant": tenants["Internal"]},
    {"name": "CL Lab", "type": vsphere},
)
vms = create(
    "virtualization",
    "virtual_machines",
    {
        "name": "web-1",
        "cluster": clusters["CL-FRA"],
        "status": "active",
        "role": roles["Server"],
        "platform": platforms["Debian 13"],
        "vcpus": 4,
        "memory": 8192,
        "disk": 50000,
        "tenant": tenants["Acme"],
        "tags": [{"slug": "monitored"}],
        "custom_fields": {"support": "gold"},
    },
    {"name": "web-2", "cluster": clusters["CL-FRA"], "status": "staged", "vcpus": 2, "memory": 4096, "description": "Second web server"},
    {"name": "übung", "cluster": clusters["CL Lab"], "status": "offline"},
)
nics = {
    (row.virtual_machine.name, row.name): row.id
    for row in nb.virtualization.interfaces.create(
        [{"virtual_machine": vms[vm], "name": name} for vm, name in [("web-1", "eth0"), ("web-1", "eth1"), ("web-2", "eth0"), ("übung", "ens3")]]
    )
}
