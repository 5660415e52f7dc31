/** Converts a snapshot of Proxmox VE to rows of machines and networks. */
import { formatCidr, parseCidr } from '../../../net/cidr.ts'
import { parseIp } from '../../../net/ip.ts'
import { parseMac } from '../../../net/mac.ts'
import { computeReach } from '../../../net/reach.ts'
import { MachineRows, type Nic } from '../machine-rows.ts'
import { parseSnapshot } from '../parse.ts'
import type { ConvertMeans, Json, SnapshotRows } from '../source-kind.ts'
import { type ConfiguredNic, hasAgent, listNics } from './nics.ts'
import { Snapshot, type SnapshotGuest, type SnapshotNode } from './snapshot.ts'

const MEBIBYTE = 2 ** 20
const GIBIBYTE = 2 ** 30
const toMebibytes = (bytes: number | undefined) => (bytes ? Math.round(bytes / MEBIBYTE) : undefined)

const buildPlace = (cluster: string, node: string): string => (cluster === '' ? node : `${cluster}/${node}`)

type Interface = NonNullable<SnapshotNode['interfaces']>[number]

/** Cards of the machine, and interfaces with an address. */
const isPort = ({ type, cidrs }: Interface): boolean => type === 'eth' || cidrs.length > 0

const addNode = (
  rows: MachineRows,
  { name, ip, is_online, cpu, memory, interfaces }: SnapshotNode,
  place: string,
): void => {
  const nics = (interfaces ?? [])
    .filter(isPort)
    .map((one): Nic => ({ name: one.name, addresses: one.cidrs.map((cidr) => ({ ip: cidr })) }))
  rows.machine({
    key: `node/${name}`,
    type: 'host',
    name,
    hostname: name,
    place,
    isRunning: is_online,
    facts: { cpu, memory_mib: toMebibytes(memory), power: is_online ? 'online' : 'offline' },
    nics,
    isPartial: interfaces === null,
    ...(interfaces !== null && ip !== '' && { addresses: [{ ip }] }),
  })
}

const isOutside = (ip: string): boolean => {
  const parsed = parseIp(ip)
  return parsed !== undefined && computeReach(parsed) !== 'blocked'
}

/**
 * Returns the addresses that a guest tells, by MAC address. Undefined if it tells none: its cards may be unplugged.
 * @param onOther is called with the addresses of no card: bridges inside of guests have the same ones in many of them
 */
const groupTold = (
  macs: ReadonlySet<string | undefined>,
  { interfaces }: SnapshotGuest,
  onOther: (ip: string) => void,
) => {
  const told = new Map<string, string[]>()
  for (const { mac, ips } of interfaces ?? []) {
    const outside = ips.filter(isOutside)
    const known = parseMac(mac) ?? ''
    if (macs.has(known)) told.set(known, [...(told.get(known) ?? []), ...outside])
    else outside.forEach(onOther)
  }
  return [...told.values()].some((ips) => ips.length > 0) ? told : undefined
}

/**
 * Returns the cards with the addresses that the guest tells, else with the addresses of its configuration if it has all. A guest with an
 * agent tells more than its configuration has, so its addresses are unknown while the agent is silent.
 */
const readNics = (configured: readonly ConfiguredNic[], guest: SnapshotGuest, onOther: (ip: string) => void): Nic[] => {
  const told = groupTold(new Set(configured.map(({ mac }) => mac)), guest, onOther)
  const isFixed = !hasAgent(guest.config ?? {}) && configured.every(({ addresses }) => addresses !== undefined)
  return configured.map(({ name, mac, vlanId, addresses }) => {
    const ips = told ? (told.get(mac ?? '-') ?? []) : isFixed ? addresses : undefined
    return {
      name,
      ...(mac !== undefined && { mac }),
      ...(vlanId !== undefined && { vlanId }),
      ...(ips && { addresses: ips.map((ip) => ({ ip })) }),
    }
  })
}

const addGuest = (rows: MachineRows, guest: SnapshotGuest, cluster: string): void => {
  const { type, vmid, node, status, tags, config, cpu, memory, disk } = guest
  const machineType = type === 'qemu' ? 'vm' : 'container'
  const key = `${type}/${vmid}`
  if (guest.is_template) {
    rows.report.read(machineType)
    rows.report.left(machineType, 'is a template', { id: key })
    return
  }
  if (config === null) {
    rows.unknown({ key, type: machineType, place: buildPlace(cluster, node) })
    return
  }
  const name = guest.name || config.name || config.hostname || ''
  rows.machine({
    key,
    type: machineType,
    name,
    ...(config.hostname !== undefined && { hostname: config.hostname }),
    place: buildPlace(cluster, node),
    isRunning: status === 'running',
    tags: tags.split(/[;, ]+/),
    facts: {
      ...{ cpu, memory_mib: toMebibytes(memory), disk_gib: disk ? Math.round(disk / GIBIBYTE) : undefined },
      ...{ power: status, node, vmid, os_type: config.ostype },
      uuid: /(?:^|,)uuid=([0-9A-Fa-f-]{36})/.exec(config.smbios1 ?? '')?.[1],
    },
    nics: readNics(listNics(config), guest, (ip) => {
      rows.report.left(`${machineType}.address`, 'is of no network card of the guest', { id: key, ip })
    }),
    parent: `node/${node}`,
  })
}

type NodeNetwork = { readonly subnet: string; readonly places: Set<string>; vlanId?: number }

/** Adds each network once: several nodes have an address in it. */
const addNetworks = (rows: MachineRows, { cluster, nodes }: Snapshot): void => {
  const networks = new Map<string, NodeNetwork>()
  for (const { name, interfaces } of nodes)
    for (const { type, cidrs, vlan } of interfaces ?? []) {
      if (!/bridge|vlan/i.test(type)) continue
      for (const text of cidrs) {
        const cidr = parseCidr(text)
        // The address of one host is no network.
        if (!cidr || cidr.first === cidr.last || computeReach({ family: cidr.family, value: cidr.first }) === 'blocked')
          continue
        const subnet = formatCidr(cidr)
        const network = networks.get(subnet) ?? { subnet, places: new Set() }
        networks.set(subnet, network)
        network.places.add(buildPlace(cluster, name))
        if (vlan !== undefined) network.vlanId ??= Number(vlan)
      }
    }
  for (const { subnet, places, vlanId } of networks.values()) {
    const [place = '', ...others] = places
    rows.network({
      key: `network/${subnet}`,
      subnet,
      place: others.length > 0 ? cluster : place,
      ...(vlanId !== undefined && { vlanId }),
    })
  }
}

export const convertProxmox = (given: Json, { options, ref }: ConvertMeans): SnapshotRows => {
  const snapshot = parseSnapshot(Snapshot, given)
  const rows = new MachineRows(ref)
  for (const node of snapshot.nodes) {
    addNode(rows, node, buildPlace(snapshot.cluster, node.name))
    if (!node.is_online) rows.report.warn(`The node ${node.name} is off: its guests stay as they were`)
  }
  for (const guest of snapshot.guests) addGuest(rows, guest, snapshot.cluster)
  if (options.networks !== false) addNetworks(rows, snapshot)
  return rows.finish()
}
