"""VRFs, VLANs, prefixes and ranges."""

from .api import create, slugs
from .places import core, halls, regions, sites, tenants

vrfs = create("ipam", "vrfs", {"name": "Customer Acme", "rd": "65000:100", "tenant": tenants["Acme"]}, {"name": "Lab", "enforce_unique": False})
prefix_roles = create("ipam", "roles", *slugs(("Servers", "servers", {}), ("Büro-LAN", "buero-lan", {"weight": 500})))
vlan_groups = create("ipam", "vlan_groups", *slugs(("Fabric FRA", "fabric-fra", {"scope_type": "dcim.site", "scope_id": sites["FRA1"]})))
vlans = create(
    "ipam",
    "vlans",
    {"vid": 10, "name": "servers", "group": vlan_groups["Fabric FRA"], "role": prefix_roles["Servers"], "tenant": tenants["Internal"]},
    {"vid": 20, "name": "voice", "group": vlan_groups["Fabric FRA"], "status": "reserved"},
    {"vid": 30, "name": "büro", "site": sites["München"]},
    {"vid": 10, "name": "global"},
)


def scope(site):
    return {"scope_type": "dcim.site", "scope_id": sites[site]}


create(
    "ipam",
    "prefixes",
    {"prefix": "10.0.0.0/8", "status": "container"},
    {"prefix": "10.1.0.0/16", "status": "container", **scope("FRA1"), "description": "All of Frankfurt"},
    {
        "prefix": "10.1.0.0/24",
        **scope("FRA1"),
        "role": prefix_roles["Servers"],
        "vlan": vlans["servers"],
        "tenant": tenants["Internal"],
        "description": "Servers of Frankfurt",
        "comments": "Gateway is .1",
        "tags": [{"slug": "monitored"}],
        "custom_fields": {"cost_center": "4711"},
    },
    {"prefix": "10.1.1.0/24", **scope("FRA1"), "status": "reserved", "is_pool": True},
    {"prefix": "10.1.2.0/28", **scope("FRA1"), "mark_utilized": True},
    {"prefix": "10.2.0.0/24", "scope_type": "dcim.location", "scope_id": halls["Keller"], "role": prefix_roles["Büro-LAN"], "vlan": vlans["büro"]},
    {"prefix": "10.3.0.0/24", "scope_type": "dcim.region", "scope_id": regions["Germany"]},
    {"prefix": "10.4.0.0/24", "scope_type": "dcim.sitegroup", "scope_id": core, "status": "deprecated"},
    {"prefix": "192.168.50.0/30"},
    {"prefix": "2001:db8:1::/64", **scope("FRA1"), "role": prefix_roles["Servers"]},
    {"prefix": "2001:db8:2::/64", **scope("München")},
    {"prefix": "10.1.0.0/24", "vrf": vrfs["Customer Acme"], "tenant": tenants["Acme"], "description": "The same subnet in a VRF"},
    {"prefix": "172.16.0.0/24", "vrf": vrfs["Lab"]},
)
create(
    "ipam",
    "ip_ranges",
    {"name": "DHCP", "start_address": "10.1.0.100/24", "end_address": "10.1.0.150/24", "description": "DHCP of the servers", "status": "active"},
    {"name": "Lab", "start_address": "172.16.0.10/24", "end_address": "172.16.0.20/24", "vrf": vrfs["Lab"]},
)
