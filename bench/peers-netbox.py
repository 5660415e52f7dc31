"""Fills an empty NetBox with devices that have an interface and an address each: netbox shell < peers-netbox.py. DEVICES says how many."""

import os

from dcim.models import Device, DeviceRole, DeviceType, Interface, Manufacturer, Site
from django.contrib.contenttypes.models import ContentType
from ipam.models import IPAddress, Prefix

count = int(os.environ["DEVICES"])
sites = [Site.objects.create(name=f"Site {n}", slug=f"site-{n}") for n in range(20)]
roles = [DeviceRole.objects.create(name=f"Role {n}", slug=f"role-{n}") for n in range(5)]
kind = DeviceType.objects.create(manufacturer=Manufacturer.objects.create(name="Maker", slug="maker"), model="Model", slug="model")
for n in range((count + 199) // 200):
    Prefix.objects.create(prefix=f"10.{n // 256}.{n % 256}.0/24", scope=sites[n % 20])
Prefix.objects.create(prefix="10.250.0.0/22", scope=sites[0])
devices = Device.objects.bulk_create(
    [Device(name=f"device-{n}", site=sites[n // 200 % 20], role=roles[n % 5], device_type=kind, serial=f"S{n:08}") for n in range(count)],
    batch_size=1000,
)
ports = Interface.objects.bulk_create(
    [Interface(device=device, name="eth0", type="1000base-t", _site=device.site) for device in devices], batch_size=1000
)
interface = ContentType.objects.get_for_model(Interface)
addresses = IPAddress.objects.bulk_create(
    [
        IPAddress(
            address=f"10.{n // 51200}.{n // 200 % 256}.{n % 200 + 1}/24",
            assigned_object_type=interface,
            assigned_object_id=port.pk,
            dns_name=f"device-{n}.example.net",
        )
        for n, port in enumerate(ports)
    ],
    batch_size=1000,
)
for device, address in zip(devices, addresses):
    device.primary_ip4 = address
Device.objects.bulk_update(devices, ["primary_ip4"], batch_size=1000)
IPAddress.objects.bulk_create([IPAddress(address=f"10.250.{n // 256}.{n % 256}/22") for n in range(1, 401)])
