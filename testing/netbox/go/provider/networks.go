// The calls of address management: VRF, VLAN, prefix, range, address, and the next free prefix and addresses.
package main

import (
	"github.com/fbreckle/go-netbox/netbox/client/ipam"
	"github.com/fbreckle/go-netbox/netbox/models"
)

func (r *run) networks(made *numbers) {
	i := r.api.Ipam
	vrf := &models.WritableVRF{Name: pointer("TF VRF"), EnforceUnique: true, ImportTargets: []int64{}, ExportTargets: []int64{}, Tags: []*models.NestedTag{}}
	vrfID := keep(r, object[*models.VRF]{
		name: "VRF",
		create: func() (*models.VRF, error) {
			return payload[*models.VRF](i.IpamVrfsCreate(ipam.NewIpamVrfsCreateParams().WithData(vrf), nil))
		},
		update: func(id int64) (*models.VRF, error) {
			return payload[*models.VRF](i.IpamVrfsPartialUpdate(ipam.NewIpamVrfsPartialUpdateParams().WithID(id).WithData(vrf), nil))
		},
		read: func(id int64) (*models.VRF, error) {
			return payload[*models.VRF](i.IpamVrfsRead(ipam.NewIpamVrfsReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamVrfsDelete(ipam.NewIpamVrfsDeleteParams().WithID(id), nil)
			return err
		},
	})
	vlan := &models.WritableVLAN{Vid: pointer(int64(777)), Name: pointer("tf-vlan"), Site: &made.site, Status: "active", Tags: []*models.NestedTag{}}
	vlanID := keep(r, object[*models.VLAN]{
		name: "VLAN",
		create: func() (*models.VLAN, error) {
			return payload[*models.VLAN](i.IpamVlansCreate(ipam.NewIpamVlansCreateParams().WithData(vlan), nil))
		},
		update: func(id int64) (*models.VLAN, error) {
			return payload[*models.VLAN](i.IpamVlansUpdate(ipam.NewIpamVlansUpdateParams().WithID(id).WithData(vlan), nil))
		},
		read: func(id int64) (*models.VLAN, error) {
			return payload[*models.VLAN](i.IpamVlansRead(ipam.NewIpamVlansReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamVlansDelete(ipam.NewIpamVlansDeleteParams().WithID(id), nil)
			return err
		},
	})
	// The provider sends a space for no description.
	prefix := &models.WritablePrefix{
		Prefix: pointer("10.77.0.0/16"), Status: "active", Description: " ", Vlan: &vlanID, ScopeType: pointer("dcim.site"),
		ScopeID: &made.site, Tags: []*models.NestedTag{},
	}
	made.prefix = keep(r, object[*models.Prefix]{
		name: "prefix",
		create: func() (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesCreate(ipam.NewIpamPrefixesCreateParams().WithData(prefix), nil))
		},
		update: func(id int64) (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesUpdate(ipam.NewIpamPrefixesUpdateParams().WithID(id).WithData(prefix), nil))
		},
		read: func(id int64) (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesRead(ipam.NewIpamPrefixesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamPrefixesDelete(ipam.NewIpamPrefixesDeleteParams().WithID(id), nil)
			return err
		},
	})
	other := &models.WritablePrefix{
		Prefix: pointer("10.77.0.0/16"), Status: "active", Description: "In a VRF", Vrf: &vrfID, Tags: []*models.NestedTag{},
	}
	keep(r, object[*models.Prefix]{
		name: "prefix of a VRF",
		create: func() (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesCreate(ipam.NewIpamPrefixesCreateParams().WithData(other), nil))
		},
		update: func(id int64) (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesUpdate(ipam.NewIpamPrefixesUpdateParams().WithID(id).WithData(other), nil))
		},
		read: func(id int64) (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesRead(ipam.NewIpamPrefixesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamPrefixesDelete(ipam.NewIpamPrefixesDeleteParams().WithID(id), nil)
			return err
		},
	})
	r.availablePrefix(made)
	pool := &models.WritableIPRange{
		StartAddress: pointer("10.77.9.10/16"), EndAddress: pointer("10.77.9.20/16"), Status: "active", Description: "TF range",
		Tags: []*models.NestedTag{},
	}
	rangeID := keep(r, object[*models.IPRange]{
		name: "range",
		create: func() (*models.IPRange, error) {
			return payload[*models.IPRange](i.IpamIPRangesCreate(ipam.NewIpamIPRangesCreateParams().WithData(pool), nil))
		},
		update: func(id int64) (*models.IPRange, error) {
			return payload[*models.IPRange](i.IpamIPRangesUpdate(ipam.NewIpamIPRangesUpdateParams().WithID(id).WithData(pool), nil))
		},
		read: func(id int64) (*models.IPRange, error) {
			return payload[*models.IPRange](i.IpamIPRangesRead(ipam.NewIpamIPRangesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamIPRangesDelete(ipam.NewIpamIPRangesDeleteParams().WithID(id), nil)
			return err
		},
	})
	address := &models.WritableIPAddress{
		Address: pointer("10.77.8.8/16"), Status: "active", AssignedObjectType: pointer(""), DNSName: "tf.example.net",
		Description: "By Terraform", Tags: []*models.NestedTag{},
	}
	keep(r, object[*models.IPAddress]{
		name: "address",
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
	for _, dnsName := range []string{"tf-1.example.net", "tf-2.example.net"} {
		r.availableAddress("next address of the prefix", dnsName, func(data []*models.AvailableIP) ([]*models.IPAddress, error) {
			params := ipam.NewIpamPrefixesAvailableIpsCreateParams().WithID(made.prefix).WithData(data)
			return payload[[]*models.IPAddress](i.IpamPrefixesAvailableIpsCreate(params, nil))
		})
	}
	r.availableAddress("next address of the range", "tf-3.example.net", func(data []*models.AvailableIP) ([]*models.IPAddress, error) {
		params := ipam.NewIpamIPRangesAvailableIpsCreateParams().WithID(rangeID).WithData(data)
		return payload[[]*models.IPAddress](i.IpamIPRangesAvailableIpsCreate(params, nil))
	})
}

// availablePrefix takes the next free prefix, and then writes its fields.
func (r *run) availablePrefix(made *numbers) {
	i := r.api.Ipam
	taken := ""
	length := &models.PrefixLength{PrefixLength: pointer(int64(24))}
	write := func(id int64) (*models.Prefix, error) {
		data := &models.WritablePrefix{Prefix: &taken, Status: "active", Description: "TF next", Tags: []*models.NestedTag{}}
		return payload[*models.Prefix](i.IpamPrefixesUpdate(ipam.NewIpamPrefixesUpdateParams().WithID(id).WithData(data), nil))
	}
	keep(r, object[*models.Prefix]{
		name: "next prefix",
		create: func() (*models.Prefix, error) {
			params := ipam.NewIpamPrefixesAvailablePrefixesCreateParams().WithID(made.prefix).WithData(length)
			found, err := payload[*models.Prefix](i.IpamPrefixesAvailablePrefixesCreate(params, nil))
			if err == nil {
				taken = *found.Prefix
			}
			return found, err
		},
		update: write,
		read: func(id int64) (*models.Prefix, error) {
			return payload[*models.Prefix](i.IpamPrefixesRead(ipam.NewIpamPrefixesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamPrefixesDelete(ipam.NewIpamPrefixesDeleteParams().WithID(id), nil)
			return err
		},
	})
}

// availableAddress takes the next free address, with a VRF without a number as the provider sends it, and then writes its fields.
func (r *run) availableAddress(name, dnsName string, take func([]*models.AvailableIP) ([]*models.IPAddress, error)) {
	i := r.api.Ipam
	taken := ""
	keep(r, object[*models.IPAddress]{
		name: name,
		create: func() (*models.IPAddress, error) {
			found, err := take([]*models.AvailableIP{{Vrf: &models.NestedVRF{}}})
			if err != nil {
				return nil, err
			}
			taken = *found[0].Address
			return found[0], nil
		},
		update: func(id int64) (*models.IPAddress, error) {
			data := &models.WritableIPAddress{
				Address: &taken, Status: "active", AssignedObjectType: pointer(""), DNSName: dnsName, Tags: []*models.NestedTag{},
			}
			return payload[*models.IPAddress](i.IpamIPAddressesUpdate(ipam.NewIpamIPAddressesUpdateParams().WithID(id).WithData(data), nil))
		},
		read: func(id int64) (*models.IPAddress, error) {
			return payload[*models.IPAddress](i.IpamIPAddressesRead(ipam.NewIpamIPAddressesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := i.IpamIPAddressesDelete(ipam.NewIpamIPAddressesDeleteParams().WithID(id), nil)
			return err
		},
	})
}
