// Reads every list with go-netbox, whose types refuse an answer without a required field or with a value that NetBox
// does not have. Prints a line for each list, with its count or the error: strict URL TOKEN.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/netbox-community/go-netbox/v4"
)

type page interface{ GetCount() int32 }

func show[P page](list string, execute func() (P, *http.Response, error)) {
	found, _, err := execute()
	if err != nil {
		fmt.Printf("%s %v\n", list, err)
		return
	}
	fmt.Printf("%s %d\n", list, found.GetCount())
}

func main() {
	api := netbox.NewAPIClientFor(os.Args[1], os.Args[2])
	c := context.Background()
	dcim, extras, ipam, tenancy, virt := api.DcimAPI, api.ExtrasAPI, api.IpamAPI, api.TenancyAPI, api.VirtualizationAPI

	show("dcim/sites", dcim.DcimSitesList(c).Limit(0).Execute)
	show("dcim/regions", dcim.DcimRegionsList(c).Limit(0).Execute)
	show("dcim/site-groups", dcim.DcimSiteGroupsList(c).Limit(0).Execute)
	show("dcim/locations", dcim.DcimLocationsList(c).Limit(0).Execute)
	show("dcim/devices", dcim.DcimDevicesList(c).Limit(0).Execute)
	show("dcim/interfaces", dcim.DcimInterfacesList(c).Limit(0).Execute)
	show("dcim/mac-addresses", dcim.DcimMacAddressesList(c).Limit(0).Execute)
	show("dcim/cables", dcim.DcimCablesList(c).Limit(0).Execute)
	show("dcim/racks", dcim.DcimRacksList(c).Limit(0).Execute)
	show("dcim/device-types", dcim.DcimDeviceTypesList(c).Limit(0).Execute)
	show("dcim/device-roles", dcim.DcimDeviceRolesList(c).Limit(0).Execute)
	show("dcim/platforms", dcim.DcimPlatformsList(c).Limit(0).Execute)
	show("dcim/manufacturers", dcim.DcimManufacturersList(c).Limit(0).Execute)
	show("dcim/rack-roles", dcim.DcimRackRolesList(c).Limit(0).Execute)
	show("dcim/virtual-chassis", dcim.DcimVirtualChassisList(c).Limit(0).Execute)
	show("dcim/inventory-items", dcim.DcimInventoryItemsList(c).Limit(0).Execute)
	show("extras/tags", extras.ExtrasTagsList(c).Limit(0).Execute)
	show("extras/custom-fields", extras.ExtrasCustomFieldsList(c).Limit(0).Execute)
	show("extras/config-contexts", extras.ExtrasConfigContextsList(c).Limit(0).Execute)
	show("extras/journal-entries", extras.ExtrasJournalEntriesList(c).Limit(0).Execute)
	show("ipam/roles", ipam.IpamRolesList(c).Limit(0).Execute)
	show("ipam/vlan-groups", ipam.IpamVlanGroupsList(c).Limit(0).Execute)
	show("ipam/prefixes", ipam.IpamPrefixesList(c).Limit(0).Execute)
	show("ipam/ip-addresses", ipam.IpamIpAddressesList(c).Limit(0).Execute)
	show("ipam/ip-ranges", ipam.IpamIpRangesList(c).Limit(0).Execute)
	show("ipam/vrfs", ipam.IpamVrfsList(c).Limit(0).Execute)
	show("ipam/vlans", ipam.IpamVlansList(c).Limit(0).Execute)
	show("ipam/services", ipam.IpamServicesList(c).Limit(0).Execute)
	show("ipam/aggregates", ipam.IpamAggregatesList(c).Limit(0).Execute)
	show("ipam/rirs", ipam.IpamRirsList(c).Limit(0).Execute)
	show("tenancy/tenants", tenancy.TenancyTenantsList(c).Limit(0).Execute)
	show("tenancy/tenant-groups", tenancy.TenancyTenantGroupsList(c).Limit(0).Execute)
	show("tenancy/contacts", tenancy.TenancyContactsList(c).Limit(0).Execute)
	show("virtualization/virtual-machines", virt.VirtualizationVirtualMachinesList(c).Limit(0).Execute)
	show("virtualization/interfaces", virt.VirtualizationInterfacesList(c).Limit(0).Execute)
	show("virtualization/clusters", virt.VirtualizationClustersList(c).Limit(0).Execute)
	show("virtualization/cluster-types", virt.VirtualizationClusterTypesList(c).Limit(0).Execute)
	show("virtualization/cluster-groups", virt.VirtualizationClusterGroupsList(c).Limit(0).Execute)
	show("virtualization/virtual-disks", virt.VirtualizationVirtualDisksList(c).Limit(0).Execute)
}
