// The calls of objects that are names in Plat (tag, role, platform, manufacturer), of a device type and of a site.
package main

import (
	"github.com/fbreckle/go-netbox/netbox/client/dcim"
	"github.com/fbreckle/go-netbox/netbox/client/extras"
	"github.com/fbreckle/go-netbox/netbox/models"
)

// numbers are those of objects that other objects name.
type numbers struct{ site, role, platform, kind, prefix int64 }

// tags are sent as name and slug.
var tags = []*models.NestedTag{{Name: pointer("tf tag"), Slug: pointer("tf-tag")}}

func (r *run) names(made *numbers) {
	d, e := r.api.Dcim, r.api.Extras
	tag := &models.Tag{Name: pointer("tf tag"), Slug: pointer("tf-tag"), Color: "00bcd4", Description: "By Terraform"}
	keep(r, object[*models.Tag]{
		name: "tag",
		create: func() (*models.Tag, error) {
			return payload[*models.Tag](e.ExtrasTagsCreate(extras.NewExtrasTagsCreateParams().WithData(tag), nil))
		},
		update: func(id int64) (*models.Tag, error) {
			return payload[*models.Tag](e.ExtrasTagsUpdate(extras.NewExtrasTagsUpdateParams().WithID(id).WithData(tag), nil))
		},
		read: func(id int64) (*models.Tag, error) {
			return payload[*models.Tag](e.ExtrasTagsRead(extras.NewExtrasTagsReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := e.ExtrasTagsDelete(extras.NewExtrasTagsDeleteParams().WithID(id), nil)
			return err
		},
	})
	role := &models.DeviceRole{
		Name: pointer("TF server"), Slug: pointer("tf-role"), Color: "ff9800", VMRole: pointer(true), Tags: []*models.NestedTag{},
	}
	made.role = keep(r, object[*models.DeviceRole]{
		name: "role",
		create: func() (*models.DeviceRole, error) {
			return payload[*models.DeviceRole](d.DcimDeviceRolesCreate(dcim.NewDcimDeviceRolesCreateParams().WithData(role), nil))
		},
		update: func(id int64) (*models.DeviceRole, error) {
			return payload[*models.DeviceRole](d.DcimDeviceRolesPartialUpdate(dcim.NewDcimDeviceRolesPartialUpdateParams().WithID(id).WithData(role), nil))
		},
		read: func(id int64) (*models.DeviceRole, error) {
			return payload[*models.DeviceRole](d.DcimDeviceRolesRead(dcim.NewDcimDeviceRolesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimDeviceRolesDelete(dcim.NewDcimDeviceRolesDeleteParams().WithID(id), nil)
			return err
		},
	})
	platform := &models.WritablePlatform{Name: pointer("TF OS"), Slug: pointer("tf-os"), Tags: []*models.NestedTag{}}
	made.platform = keep(r, object[*models.Platform]{
		name: "platform",
		create: func() (*models.Platform, error) {
			return payload[*models.Platform](d.DcimPlatformsCreate(dcim.NewDcimPlatformsCreateParams().WithData(platform), nil))
		},
		update: func(id int64) (*models.Platform, error) {
			return payload[*models.Platform](d.DcimPlatformsPartialUpdate(dcim.NewDcimPlatformsPartialUpdateParams().WithID(id).WithData(platform), nil))
		},
		read: func(id int64) (*models.Platform, error) {
			return payload[*models.Platform](d.DcimPlatformsRead(dcim.NewDcimPlatformsReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimPlatformsDelete(dcim.NewDcimPlatformsDeleteParams().WithID(id), nil)
			return err
		},
	})
	maker := &models.Manufacturer{Name: pointer("TF maker"), Slug: pointer("tf-maker"), Tags: []*models.NestedTag{}}
	makerID := keep(r, object[*models.Manufacturer]{
		name: "manufacturer",
		create: func() (*models.Manufacturer, error) {
			return payload[*models.Manufacturer](d.DcimManufacturersCreate(dcim.NewDcimManufacturersCreateParams().WithData(maker), nil))
		},
		update: func(id int64) (*models.Manufacturer, error) {
			return payload[*models.Manufacturer](d.DcimManufacturersPartialUpdate(dcim.NewDcimManufacturersPartialUpdateParams().WithID(id).WithData(maker), nil))
		},
		read: func(id int64) (*models.Manufacturer, error) {
			return payload[*models.Manufacturer](d.DcimManufacturersRead(dcim.NewDcimManufacturersReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimManufacturersDelete(dcim.NewDcimManufacturersDeleteParams().WithID(id), nil)
			return err
		},
	})
	kind := &models.WritableDeviceType{
		Manufacturer: &makerID, Model: pointer("TF 1000"), Slug: pointer("tf-1000"), UHeight: pointer(2.0),
		PartNumber: "TF-1000-A", IsFullDepth: true, Tags: []*models.NestedTag{},
	}
	made.kind = keep(r, object[*models.DeviceType]{
		name: "device type",
		create: func() (*models.DeviceType, error) {
			return payload[*models.DeviceType](d.DcimDeviceTypesCreate(dcim.NewDcimDeviceTypesCreateParams().WithData(kind), nil))
		},
		update: func(id int64) (*models.DeviceType, error) {
			return payload[*models.DeviceType](d.DcimDeviceTypesPartialUpdate(dcim.NewDcimDeviceTypesPartialUpdateParams().WithID(id).WithData(kind), nil))
		},
		read: func(id int64) (*models.DeviceType, error) {
			return payload[*models.DeviceType](d.DcimDeviceTypesRead(dcim.NewDcimDeviceTypesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimDeviceTypesDelete(dcim.NewDcimDeviceTypesDeleteParams().WithID(id), nil)
			return err
		},
	})
	site := &models.WritableSite{
		Name: pointer("TF site"), Slug: pointer("tf-site"), Status: "active", Description: "By Terraform",
		PhysicalAddress: "Main Street 1", Asns: []int64{}, Tags: []*models.NestedTag{},
	}
	made.site = keep(r, object[*models.Site]{
		name: "site",
		create: func() (*models.Site, error) {
			return payload[*models.Site](d.DcimSitesCreate(dcim.NewDcimSitesCreateParams().WithData(site), nil))
		},
		update: func(id int64) (*models.Site, error) {
			return payload[*models.Site](d.DcimSitesPartialUpdate(dcim.NewDcimSitesPartialUpdateParams().WithID(id).WithData(site), nil))
		},
		read: func(id int64) (*models.Site, error) {
			return payload[*models.Site](d.DcimSitesRead(dcim.NewDcimSitesReadParams().WithID(id), nil))
		},
		remove: func(id int64) error {
			_, err := d.DcimSitesDelete(dcim.NewDcimSitesDeleteParams().WithID(id), nil)
			return err
		},
	})
}
