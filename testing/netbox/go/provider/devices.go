// The calls of a device: its interface, the address on it, and its primary address.
package main

import (
	"github.com/fbreckle/go-netbox/netbox/client/dcim"
	"github.com/fbreckle/go-netbox/netbox/client/ipam"
	"github.com/fbreckle/go-netbox/netbox/models"
)

func (r *run) devices(made *numbers) {
	d, i := r.api.Dcim, r.api.Ipam
	device := &models.WritableDeviceWithConfigContext{
		Name: pointer("tf-device"), DeviceType: &made.kind, Role: &made.role, Site: &made.site, Platform: &made.platform,
		Serial: "TF-1", AssetTag: pointer("TF-A-1"), Status: "planned", Description: "By Terraform", Comments: "More text", Tags: tags,
	}
	deviceID := keep(r, object[*models.DeviceWithConfigContext]{
		name: "device",
		create: func() (*models.DeviceWithConfigContext, error) {
			return payload[*models.DeviceWithConfigContext](d.DcimDevicesCreate(dcim.NewDcimDevicesCreateParams().WithData(device), nil))
		},
		update: func(id int64) (*models.DeviceWithConfigContext, error) {
			return payload[*models.DeviceWithConfigContext](d.DcimDevicesUpdate(dcim.NewDcimDevicesUpdateParams().WithID(id).WithData(device), nil))
		},
		read: func(id int64) (*models.DeviceWithConfigContext, error) {
			return payload[*models.DeviceWithConfigContext](d.DcimDevicesRead(dcim.NewDcimDevicesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimDevicesDelete(dcim.NewDcimDevicesDeleteParams().WithID(id), nil)
			return err
		},
	})
	port := &models.WritableInterface{
		Name: pointer("eth0"), Type: pointer("1000base-t"), Device: &deviceID, Enabled: true, Description: "By Terraform",
		Speed: pointer(int64(1000000)), TaggedVlans: []int64{}, Tags: []*models.NestedTag{}, WirelessLans: []int64{}, Vdcs: []int64{},
	}
	portID := keep(r, object[*models.Interface]{
		name: "interface",
		create: func() (*models.Interface, error) {
			return payload[*models.Interface](d.DcimInterfacesCreate(dcim.NewDcimInterfacesCreateParams().WithData(port), nil))
		},
		update: func(id int64) (*models.Interface, error) {
			return payload[*models.Interface](d.DcimInterfacesPartialUpdate(dcim.NewDcimInterfacesPartialUpdateParams().WithID(id).WithData(port), nil))
		},
		read: func(id int64) (*models.Interface, error) {
			return payload[*models.Interface](d.DcimInterfacesRead(dcim.NewDcimInterfacesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimInterfacesDelete(dcim.NewDcimInterfacesDeleteParams().WithID(id), nil)
			return err
		},
	})
	address := &models.WritableIPAddress{
		Address: pointer("10.77.8.9/16"), Status: "active", AssignedObjectType: pointer("dcim.interface"), AssignedObjectID: &portID,
		DNSName: "tf-device.example.net", Tags: []*models.NestedTag{},
	}
	addressID := keep(r, object[*models.IPAddress]{
		name: "address of the device",
		create: func() (*models.IPAddress, error) {
			return payload[*models.IPAddress](i.IpamIPAddressesCreate(ipam.NewIpamIPAddressesCreateParams().WithData(address), nil))
		},
		update: func(id int64) (*models.IPAddress, error) {
			return payload[*models.IPAddress](i.IpamIPAddressesUpdate(ipam.NewIpamIPAddressesUpdateParams().WithID(id).WithData(address), nil))
		},
		read: func(id int64) (*models.IPAddress, error) {
			return payload[*models.IPAddress](i.IpamIPAddressesRead(ipam.NewIpamIPAddressesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamIPAddressesDelete(ipam.NewIpamIPAddressesDeleteParams().WithID(id), nil)
			return err
		},
	})
	// The provider reads the device and writes it back with the number of the address.
	primary := &models.WritableDeviceWithConfigContext{
		Name: device.Name, DeviceType: device.DeviceType, Role: device.Role, Site: device.Site, Tags: tags, PrimaryIp4: &addressID,
	}
	params := dcim.NewDcimDevicesPartialUpdateParams().WithID(deviceID).WithData(primary)
	written, err := payload[*models.DeviceWithConfigContext](d.DcimDevicesPartialUpdate(params, nil))
	check("primary address", err)
	read, err := payload[*models.DeviceWithConfigContext](d.DcimDevicesRead(dcim.NewDcimDevicesReadParams().WithID(deviceID), nil))
	check("primary address", err)
	compare("primary address", comparable(written), comparable(read))
	show("primary address", comparable(read))
}
