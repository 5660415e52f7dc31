"""Types, roles and devices."""

from .api import create, slugs
from .places import halls, racks, rooms, sites, tenants

makers = create("dcim", "manufacturers", *slugs(("Cisco", "cisco", {}), ("Juniper", "juniper", {}), ("Dell", "dell", {})))
types = create(
    "dcim",
    "device_types",
    {"manufacturer": makers["Cisco"], "model": "C9300-48T", "slug": "c9300-48t", "u_height": 1, "part_number": "C9300-48T-E"},
    {"manufacturer": makers["Juniper"], "model": "QFX5120", "slug": "qfx5120", "u_height": 1},
    {"manufacturer": makers["Dell"], "model": "PowerEdge R650", "slug": "r650", "u_height": 1, "is_full_depth": True},
    {"manufacturer": makers["Dell"], "model": "Edge box", "slug": "edge-box", "u_height": 0},
)
network = create("dcim", "device_roles", *slugs(("Network", "network", {"color": "2196f3"})))["Network"]
roles = create(
    "dcim",
    "device_roles",
    *slugs(
        ("Access switch", "access-switch", {"color": "00ff00", "parent": network}),
        ("Spine", "spine", {"color": "0000ff", "parent": network}),
        ("Server", "server", {"color": "ff0000", "vm_role": True}),
        ("Gateway", "gw", {"color": "9e9e9e"}),
    ),
)
platforms = create(
    "dcim", "platforms", *slugs(("IOS XE", "ios-xe", {"manufacturer": makers["Cisco"]}), ("Junos", "junos", {}), ("Debian 13", "debian-13", {}))
)


def device(name, kind, role, site, **more):
    return {"name": name, "device_type": types[kind], "role": roles[role], "site": sites[site], "status": "active", **more}


def mount(rack, position, location=None):
    return {"rack": racks[rack], "position": position, "face": "front", **({"location": location} if location else {})}


room = rooms["Room 1"]
devices = create(
    "dcim",
    "devices",
    device(
        "sw-fra-1",
        "C9300-48T",
        "Access switch",
        "FRA1",
        platform=platforms["IOS XE"],
        serial="FOC2601A001",
        asset_tag="A-1001",
        tenant=tenants["Internal"],
        tags=[{"slug": "monitored"}],
        custom_fields={"support": "gold", "cost_center": "4711", "backup": True, "rack_units": 1, "bought": "2024-05-06"},
        **mount("R1", 40, room),
    ),
    device(
        "sw-fra-2",
        "C9300-48T",
        "Access switch",
        "FRA1",
        platform=platforms["IOS XE"],
        serial="FOC2601A002",
        tags=[{"slug": "monitored"}, {"slug": "buero"}],
        description="Second switch",
        comments="Replaced in 2024.\n\nSpare parts in the cellar.",
        **mount("R2", 40, room),
    ),
    device("spine-fra", "QFX5120", "Spine", "FRA1", platform=platforms["Junos"], status="staged", tenant=tenants["Internal"], **mount("R1", 42, room)),
    device(
        "srv-fra-1",
        "PowerEdge R650",
        "Server",
        "FRA1",
        platform=platforms["Debian 13"],
        tenant=tenants["Acme"],
        asset_tag="A-2001",
        tags=[{"slug": "k8s-node"}, {"slug": "monitored"}],
        custom_fields={"support": "silver", "backup": False},
        **mount("R1", 10, room),
    ),
    device(
        "srv-fra-2",
        "PowerEdge R650",
        "Server",
        "FRA1",
        platform=platforms["Debian 13"],
        tenant=tenants["Acme"],
        tags=[{"slug": "k8s-node"}],
        **mount("R1", 11, room),
    ),
    device("srv-fra-3", "PowerEdge R650", "Server", "FRA1", location=halls["Building A"], status="offline"),
    device(
        "srv-münchen-1",
        "PowerEdge R650",
        "Server",
        "München",
        tenant=tenants["Bäckerei Müller"],
        platform=platforms["Debian 13"],
        tags=[{"slug": "buero"}],
        **mount("Schrank Ä", 3),
    ),
    device("gw-muc", "Edge box", "Gateway", "München", location=halls["Keller"]),
    device("gw-vie", "Edge box", "Gateway", "Vienna", status="planned"),
    device("srv-old", "PowerEdge R650", "Server", "Lab", status="decommissioning", serial="DELL-0001"),
    device("srv-spare", "PowerEdge R650", "Server", "Lab", status="inventory"),
    device("srv-broken", "PowerEdge R650", "Server", "Lab", status="failed"),
)
