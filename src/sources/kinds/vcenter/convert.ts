/** Converts a snapshot of vCenter: hosts and virtual machines become devices. */
import { HOST_NAME } from '../../../contract/fields/text-rules.ts'
import { parseIp } from '../../../net/ip.ts'
import { type Nic as MachineNic, MachineRows } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { type Container, type Host, type Nic, Snapshot, type Vm } from './snapshot.ts'

/** Longer chains are loops. */
const MAX_DEPTH = 100

const toNics = (nics: readonly Nic[]): MachineNic[] =>
  nics.map(({ name, mac, addresses }) => ({
    name,
    mac,
    ...(addresses && { addresses: addresses.map((ip) => ({ ip })) }),
  }))

/** Returns the name of a host if it can be one of DNS: hosts are also called by their addresses, or otherwise. */
const toHostname = (name: string): string => (parseIp(name) || !HOST_NAME.holds(name.toLowerCase()) ? '' : name)

/** Returns the host name that a guest has, if it has got one. */
const toGuestName = (name: string): string => (/^localhost(?:\.|$)/i.test(name) ? '' : name)

const toMebibytes = (bytes: string): string =>
  /^\d{1,15}$/.test(bytes) ? `${Math.round(Number(bytes) / 2 ** 20)}` : ''

/** Where a machine is: the data center, and the cluster if it is in one. */
type Location = { readonly place: string; readonly cluster: string }

class VcenterRows {
  readonly #rows: MachineRows
  readonly #containers: ReadonlyMap<string, Container>
  readonly #hosts: ReadonlyMap<string, Host>

  constructor(ref: string, { containers, hosts }: Snapshot) {
    this.#rows = new MachineRows(ref)
    this.#containers = new Map(containers.map((one) => [one.id, one]))
    this.#hosts = new Map(hosts.map((one) => [one.id, one]))
  }

  convert({ hosts, vms }: Snapshot): SnapshotRows {
    for (const host of hosts) this.#addHost(host)
    for (const vm of vms) this.#addVm(vm)
    return this.#rows.finish()
  }

  #locate(parent: string): Location {
    let [datacenter, cluster] = ['', '']
    let container = this.#containers.get(parent)
    for (let depth = 0; container && depth < MAX_DEPTH; depth++) {
      if (container.type === 'ClusterComputeResource') cluster = container.name
      if (container.type === 'Datacenter') datacenter = container.name
      container = this.#containers.get(container.parent)
    }
    return { place: [datacenter, cluster].filter((name) => name !== '').join('/'), cluster }
  }

  #addHost(host: Host): void {
    const { uuid, name, parent, vendor, model } = host
    if (uuid === '') {
      this.#leave('host', 'has no UUID of its hardware', { id: host.id, name })
      return
    }
    const { place, cluster } = this.#locate(parent)
    this.#rows.machine({
      key: `host/${uuid}`,
      type: 'host',
      name,
      hostname: toHostname(name),
      place,
      isRunning: host.is_running,
      tags: cluster === '' ? [] : [`cluster:${cluster}`],
      makeModel: `${vendor} ${model}`.trim(),
      os: host.product,
      serial: host.serial,
      facts: { cpu: host.cores, cpu_model: host.cpu, memory_mib: toMebibytes(host.memory_bytes), state: host.state },
      nics: toNics(host.nics),
      ...(!host.has_nics && { isPartial: true }),
    })
  }

  #addVm(vm: Vm): void {
    const { uuid, name, is_template } = vm
    if (is_template || uuid === '') {
      this.#leave('vm', is_template ? 'is a template' : 'has no UUID', { id: vm.id, name })
      return
    }
    const host = this.#hosts.get(vm.host)
    const { place, cluster } = this.#locate(host?.parent ?? vm.parent)
    this.#rows.machine({
      key: `vm/${uuid}`,
      type: 'vm',
      name,
      hostname: toGuestName(vm.hostname),
      place,
      isRunning: vm.power === 'poweredOn',
      tags: cluster === '' ? [] : [`cluster:${cluster}`],
      os: vm.os,
      facts: { cpu: vm.cpus, memory_mib: vm.memory_mib, power: vm.power, node: host?.name, tools: vm.tools },
      nics: toNics(vm.nics),
      ...(!vm.has_nics && { isPartial: true }),
      ...(host && host.uuid !== '' && { parent: `host/${host.uuid}` }),
    })
    if (vm.inner_interfaces > 0)
      this.#rows.report.dropped('vm.interface', 'belongs to no adapter of its machine', vm.inner_interfaces)
  }

  #leave(what: string, why: string, value: object): void {
    this.#rows.report.read(what)
    this.#rows.report.left(what, why, value)
  }
}

export const convertVcenter = (snapshot: Json, { ref }: ConvertMeans): SnapshotRows => {
  const read = parseSnapshot(Snapshot, snapshot)
  return new VcenterRows(ref, read).convert(read)
}
