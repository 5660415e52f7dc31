/** Builds snapshots of a vCenter with one cluster, as its fetch does. */
import type { Snapshot } from '../../src/sources/kinds/vcenter/snapshot.ts'

export type TestVm = {
  readonly uuid: string
  readonly name: string
  readonly mac: string
  /** Without one its guest tools are silent. */
  readonly ip?: string
  readonly os?: string
}

export type TestHost = { readonly uuid: string; readonly name: string; readonly mac?: string; readonly serial?: string }

const toNic = (mac: string, addresses: string[] | null) => ({ name: 'Network adapter 1', mac, addresses })

export const buildVcenterSnapshot = (
  cluster: string,
  { vms, hosts = [{ uuid: `host-of-${cluster}`, name: `${cluster}.esx` }] }: Machines,
): Snapshot => {
  const [first] = hosts
  return {
    product: 'VMware vCenter Server 8.0.2',
    containers: [
      { id: 'dc', type: 'Datacenter', name: 'Berlin', parent: '' },
      { id: 'cluster', type: 'ClusterComputeResource', name: cluster, parent: 'dc' },
    ],
    hosts: hosts.map(({ uuid, name, mac, serial = '' }) => ({
      ...{
        id: uuid,
        uuid,
        name,
        parent: 'cluster',
        vendor: '',
        model: '',
        serial,
        product: 'VMware ESXi 8.0.2',
        cpu: '',
      },
      ...{ cores: '8', memory_bytes: '', state: 'connected', is_running: true, has_nics: true },
      nics: mac === undefined ? [] : [toNic(mac, null)],
    })),
    vms: vms.map(({ uuid, name, mac, ip, os = 'Debian GNU/Linux 12 (64-bit)' }) => ({
      ...{ id: uuid, uuid, name, is_template: false, host: first?.uuid ?? '', parent: 'cluster', os, hostname: '' },
      ...{ power: 'poweredOn', tools: ip === undefined ? '' : 'guestToolsRunning', cpus: '2', memory_mib: '2048' },
      ...{ has_nics: true, nics: [toNic(mac, ip === undefined ? null : [ip])], inner_interfaces: 0 },
    })),
  }
}

export type Machines = { readonly vms: readonly TestVm[]; readonly hosts?: readonly TestHost[] }
