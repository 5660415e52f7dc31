// Serves the simulator of govmomi as a vCenter or an ESXi host until it is killed: vcenter PORT vpx|esx COPIES.
// The guest of the first machine has addresses, the second is off, and the third is a template. The simulator makes ten machines
// in a second, so all further ones are copies of the first, without its disks and controllers.
package main

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"os"
	"strconv"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

func main() {
	model := simulator.VPX()
	if os.Args[2] == "esx" {
		model = simulator.ESX()
	}
	model.Machine = 3
	if err := model.Create(); err != nil {
		panic(err)
	}
	copies, _ := strconv.Atoi(os.Args[3])
	for _, entity := range model.Map().All("VirtualMachine") {
		vm := entity.(*simulator.VirtualMachine)
		config := *vm.Config
		config.Hardware.Device = object.VirtualDeviceList(config.Hardware.Device).SelectByType((*types.VirtualEthernetCard)(nil))
		pool := model.Map().Get(*vm.ResourcePool).(*simulator.ResourcePool)
		for ; copies > 0; copies-- {
			one := vm.VirtualMachine
			one.Config = &config
			one.Self.Value = fmt.Sprintf("vm-copy-%d", copies)
			one.Summary.Config.InstanceUuid = uuid.NewString()
			one.Name = one.Self.Value
			model.Map().Put(&one)
			pool.Vm = append(pool.Vm, one.Self)
		}
		switch vm.Name[len(vm.Name)-4:] {
		case "_VM0":
			vm.Guest.HostName, vm.Guest.GuestFullName = "db.example.com", "Debian GNU/Linux 13 (64-bit)"
			vm.Guest.ToolsRunningStatus = string(types.VirtualMachineToolsRunningStatusGuestToolsRunning)
			vm.Guest.Net[0].Connected = true
			vm.Guest.Net[0].IpAddress = []string{"10.20.30.40", "fe80::1", "2001:db8::40"}
			vm.Guest.Net = append(vm.Guest.Net, types.GuestNicInfo{IpAddress: []string{"172.17.0.1"}, DeviceConfigId: -1})
		case "_VM1":
			vm.Runtime.PowerState = types.VirtualMachinePowerStatePoweredOff
		case "_VM2":
			vm.Config.Template, vm.Summary.Config.Template = true, true
		}
	}
	model.Service.Listen = &url.URL{Host: "127.0.0.1:" + os.Args[1], User: url.UserPassword("plat@vsphere.local", "s3cret & <plat>")}
	model.Service.TLS = new(tls.Config)
	fmt.Println("listens at", model.Service.NewServer().URL.Host)
	select {}
}
