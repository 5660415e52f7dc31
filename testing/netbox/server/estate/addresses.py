"""Addresses, primary addresses and services."""

from .api import create, nb
from .devices import devices
from .networks import vrfs
from .places import tenants
from .ports import iface, nics, vms


def on(device_name, name):
    return {"assigned_object_type": "dcim.interface", "assigned_object_id": iface(device_name, name)}


def on_vm(vm, name):
    return {"assigned_object_type": "virtualization.vminterface", "assigned_object_id": nics[(vm, name)]}


addresses = create(
    "ipam",
    "ip_addresses",
    {"address": "10.1.0.2/24", **on("sw-fra-1", "Vlan10"), "dns_name": "sw-fra-1.example.net"},
    {"address": "10.1.0.3/24", **on("sw-fra-2", "Vlan10")},
    {
        "address": "10.1.0.10/24",
        **on("srv-fra-1", "eth0"),
        "dns_name": "srv-fra-1.example.net",
        "description": "Main address",
        "tenant": tenants["Acme"],
        "tags": [{"slug": "monitored"}],
    },
    {"address": "2001:db8:1::10/64", **on("srv-fra-1", "eth0"), "dns_name": "srv-fra-1.example.net"},
    {"address": "10.1.0.11/24", **on("srv-fra-2", "eth1")},
    {"address": "10.1.0.12/24", **on("srv-fra-2", "eth0"), "role": "secondary"},
    {"address": "10.1.0.13/24", **on("srv-fra-3", "eth0")},
    {"address": "10.2.0.10/24", **on("srv-münchen-1", "Büro 1"), "dns_name": "srv-muc.example.net"},
    {"address": "2001:db8:2::10/64", **on("gw-muc", "lan")},
    {"address": "10.2.0.1/24", **on("gw-muc", "lan"), "dns_name": "gw-muc.example.net"},
    {"address": "192.168.50.1/30", **on("gw-muc", "wan")},
    {"address": "198.51.100.7/32", **on("gw-vie", "wan"), "status": "reserved"},
    {"address": "172.16.0.5/24", **on("srv-old", "eth0"), "vrf": vrfs["Lab"]},
    {"address": "10.1.0.20/24", **on_vm("web-1", "eth0"), "dns_name": "web-1.example.net"},
    {"address": "2001:db8:1::20/64", **on_vm("web-1", "eth0")},
    {"address": "10.1.0.21/24", **on_vm("web-2", "eth0")},
    {"address": "10.1.0.99/24", "dns_name": "next.example.net", "description": "For the next server", "status": "reserved"},
    {"address": "10.1.0.1/24", "role": "vrrp", "dns_name": "gw.example.net"},
    {"address": "2001:db8:1::99/64", "dns_name": "next.example.net"},
    {"address": "203.0.113.9/32", "description": "In no prefix"},
)
create("ipam", "ip_addresses", {"address": "10.1.0.10/24", "vrf": vrfs["Customer Acme"], "dns_name": "other.example.net"})
for name, first_address in [
    ("sw-fra-1", "10.1.0.2/24"),
    ("sw-fra-2", "10.1.0.3/24"),
    ("srv-fra-1", "10.1.0.10/24"),
    ("srv-fra-2", "10.1.0.11/24"),
    ("srv-münchen-1", "10.2.0.10/24"),
    ("gw-muc", "10.2.0.1/24"),
]:
    nb.dcim.devices.update([{"id": devices[name], "primary_ip4": addresses[first_address]}])
nb.dcim.devices.update(
    [
        {"id": devices["srv-fra-1"], "primary_ip6": addresses["2001:db8:1::10/64"]},
        {"id": devices["gw-muc"], "primary_ip6": addresses["2001:db8:2::10/64"]},
    ]
)
nb.virtualization.virtual_machines.update(
    [{"id": vms["web-1"], "primary_ip4": addresses["10.1.0.20/24"], "primary_ip6": addresses["2001:db8:1::20/64"]}]
)
create(
    "ipam",
    "services",
    {
        "parent_object_type": "dcim.device",
        "parent_object_id": devices["srv-fra-1"],
        "name": "ssh",
        "protocol": "tcp",
        "ports": [22],
        "ipaddresses": [addresses["10.1.0.10/24"]],
    },
    {"parent_object_type": "dcim.device", "parent_object_id": devices["sw-fra-1"], "name": "snmp", "protocol": "udp", "ports": [161]},
    {
        "parent_object_type": "virtualization.virtualmachine",
        "parent_object_id": vms["web-1"],
        "name": "https",
        "protocol": "tcp",
        "ports": [80, 443],
        "description": "The shop",
    },
)
