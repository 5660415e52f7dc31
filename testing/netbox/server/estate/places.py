"""Custom fields, tags, tenants, regions, sites, rooms and racks."""

from .api import create, slugs

levels = create("extras", "custom_field_choice_sets", {"name": "Levels", "extra_choices": [["gold", "Gold"], ["silver", "Silver"]]})
create(
    "extras",
    "custom_fields",
    {
        "name": "support",
        "label": "Support",
        "type": "select",
        "choice_set": levels["Levels"],
        "object_types": ["dcim.device", "virtualization.virtualmachine"],
    },
    {"name": "cost_center", "type": "text", "object_types": ["dcim.device", "dcim.site", "ipam.prefix"]},
    {"name": "backup", "type": "boolean", "object_types": ["dcim.device", "virtualization.virtualmachine"]},
    {"name": "rack_units", "type": "integer", "object_types": ["dcim.device"]},
    {"name": "bought", "type": "date", "object_types": ["dcim.device"]},
)
create(
    "extras",
    "tags",
    *slugs(("monitored", "monitored", {"color": "00ff00"}), ("Büro", "buero", {}), ("k8s node", "k8s-node", {"description": "Kubernetes"})),
)

# Places.
europe = create("dcim", "regions", *slugs(("Europe", "europe", {})))["Europe"]
regions = create("dcim", "regions", *slugs(("Germany", "germany", {"parent": europe}), ("Österreich", "oesterreich", {"parent": europe})))
core = create("dcim", "site_groups", *slugs(("Core", "core", {})))["Core"]
groups = create("dcim", "site_groups", *slugs(("Small core", "small-core", {"parent": core}), ("Edge", "edge", {})))
customers = create("tenancy", "tenant_groups", *slugs(("Customers", "customers", {})))["Customers"]
tenants = create(
    "tenancy",
    "tenants",
    *slugs(
        ("Acme", "acme", {"group": customers, "description": "A customer"}), ("Bäckerei Müller", "baeckerei-mueller", {}), ("Internal", "internal", {})
    ),
)
sites = create(
    "dcim",
    "sites",
    *slugs(
        (
            "FRA1",
            "fra1",
            {
                "region": regions["Germany"],
                "group": core,
                "tenant": tenants["Internal"],
                "physical_address": "Hanauer Landstr. 1, Frankfurt",
                "custom_fields": {"cost_center": "4711"},
            },
        ),
        ("München", "muc", {"region": regions["Germany"], "group": groups["Small core"], "description": "Branch"}),
        ("Vienna", "vienna", {"region": regions["Österreich"], "group": groups["Edge"], "status": "planned"}),
        ("Lab", "lab", {}),
    ),
)
halls = create("dcim", "locations", *slugs(("Building A", "building-a", {"site": sites["FRA1"]}), ("Keller", "keller", {"site": sites["München"]})))
rooms = create("dcim", "locations", *slugs(("Room 1", "room-1", {"site": sites["FRA1"], "parent": halls["Building A"]})))
rack_role = create("dcim", "rack_roles", *slugs(("Compute", "compute", {"color": "aa1409"})))["Compute"]
racks = create(
    "dcim",
    "racks",
    {"name": "R1", "site": sites["FRA1"], "location": rooms["Room 1"], "role": rack_role, "u_height": 42, "tenant": tenants["Internal"]},
    {"name": "R2", "site": sites["FRA1"], "location": rooms["Room 1"], "u_height": 42, "desc_units": True},
    {"name": "Schrank Ä", "site": sites["München"], "u_height": 24},
)
