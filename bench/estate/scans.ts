/** The scans of the generated estate, always the same: most hosts are as documented. No packet is sent. */
import type { discoveryRules, scans } from '../../src/discovery/api.ts'
import type { InputOf } from '../../src/kernel/operation.ts'
import { buildDeviceRow, type DeviceRow, type Inventory } from './devices.ts'
import { segmentNetworkId } from './ids.ts'
import { dhcpIp, findDevice, toRoom } from './layout.ts'
import { pick } from './random.ts'

export type ScanRow = InputOf<typeof scans.record>
export type RuleRow = InputOf<typeof discoveryRules.create>
type Host = ScanRow['hosts'][number]

const SALT = { mac: 200, rtt: 201, guest: 202 } as const
/** Rooms of which the first segment is scanned. */
const ROOMS = 3
const MOST_SEATS = 75

/** The start of a model's name, the first half of its MAC addresses, and their vendor. */
const MAKERS: readonly (readonly [model: string, oui: string, vendor: string])[] = [
  ['Dell', 'b0:7b:25', 'Dell Inc.'],
  ['HPE', '94:40:c9', 'Hewlett Packard Enterprise'],
  ['Supermicro', 'ac:1f:6b', 'Super Micro Computer, Inc.'],
  ['Lenovo', '08:94:ef', 'Wistron Infocomm (Zhongshan) Corporation'],
  ['Arista', '44:4c:a8', 'Arista Networks'],
  ['Cisco', '00:1b:0d', 'Cisco Systems, Inc'],
  ['Juniper', '88:a2:5e', 'Juniper Networks'],
  ['NetApp', '00:a0:98', 'NetApp'],
  ['Virtual', '00:50:56', 'VMware, Inc.'],
]

/** Undocumented hosts in the DHCP range. */
const GUESTS: readonly Omit<Host, 'ip' | 'mac_address'>[] = [
  { hostname: 'printer-2.example.net', vendor: 'Brother industries, LTD.', open_ports: [80, 515, 631, 9100] },
  { hostname: 'badge-reader.example.net', vendor: 'Axis Communications AB', os: 'Linux', open_ports: [80, 443] },
  { hostname: '', vendor: 'Raspberry Pi Trading Ltd', os: 'Linux (Debian)', os_confidence: 80, open_ports: [22] },
  {
    hostname: 'crash-cart.example.net',
    vendor: 'Intel Corporate',
    os: 'Windows',
    os_confidence: 60,
    open_ports: [3389],
  },
]
const GUEST_OUIS = ['00:80:77', '00:40:8c', 'dc:a6:32', '00:1b:21'] as const

const PORTS: Readonly<Record<string, readonly number[]>> = {
  sw: [22, 161],
  hv: [22, 443, 8006],
  web: [22, 80, 443],
  app: [22, 8080],
  db: [22, 5432],
  cache: [22, 6379],
  queue: [22, 5672],
  k8s: [10_250],
  lb: [22, 80, 443],
  nas: [22, 111, 2049],
  mon: [22, 9090],
  win: [53, 88, 135, 389, 445],
}

const buildMac = ({ random }: Inventory, oui: string, index: number): string => {
  const rest = Math.floor(random(index, SALT.mac) * 2 ** 24)
  return `${oui}:${rest
    .toString(16)
    .padStart(6, '0')
    .replace(/(..)(..)(..)/, '$1:$2:$3')}`
}

const buildHost = (inventory: Inventory, device: number, row: DeviceRow): Host => {
  const model = row.make_model ?? ''
  const [, oui, vendor] = MAKERS.find(([start]) => model.startsWith(start)) ?? ['', '00:50:56', 'VMware, Inc.']
  const [role = ''] = row.tags ?? []
  const open_ports = [...(PORTS[role] ?? [22])]
  const ssh = { port: 22, protocol: 'tcp' as const, service: 'ssh', product: 'OpenSSH', version: '9.2p1' }
  return {
    ip: row.addresses?.[0]?.ip ?? '',
    mac_address: buildMac(inventory, oui, device),
    vendor,
    hostname: row.hostname ?? '',
    os: row.os ?? '',
    os_confidence: 85,
    rtt_ms: Math.round(100 + inventory.random(device, SALT.rtt) * 900) / 1000,
    open_ports,
    services: open_ports.includes(22) ? [ssh] : [],
  }
}

type Machine = { readonly row: DeviceRow; readonly host: Host }

const listMachines = (inventory: Inventory, room: number): Machine[] =>
  Array.from({ length: MOST_SEATS }, (_, seat) => findDevice(inventory.layout, { room, segment: 0 }, seat)).flatMap(
    (device) => {
      if (device === undefined) return []
      const row = buildDeviceRow(inventory, device)
      return [{ row, host: buildHost(inventory, device, row) }]
    },
  )

const buildGuests = (inventory: Inventory, room: number): Host[] =>
  GUESTS.map((guest, i) => {
    const oui = pick(GUEST_OUIS, i / GUESTS.length)
    return {
      ...guest,
      ip: dhcpIp(toRoom(inventory.layout, room), 0, i),
      mac_address: buildMac(inventory, oui, room * 100 + i),
    }
  })

/** Returns the hosts with the changes that the second scan finds: one is missing, one has another name, one was reinstalled. */
const changeHosts = (hosts: readonly Host[]): Host[] =>
  hosts.flatMap((host, i) => {
    if (i === 3) return []
    if (i === 4) return [{ ...host, hostname: `renamed-${host.hostname}` }]
    return i === 5
      ? [{ ...host, os: 'Windows Server 2025', os_confidence: 90, open_ports: [445, 3389], services: [] }]
      : [host]
  })

function* buildScans(inventory: Inventory, room: number): Generator<ScanRow> {
  const id = segmentNetworkId(inventory.layout, toRoom(inventory.layout, room), 0)
  const machines = listMachines(inventory, room)
  const active = machines.filter(({ row }) => row.status === 'active').map(({ host }) => host)
  // Documented as planned, and already present.
  const early = machines.filter(({ row }) => row.status === 'planned').map(({ host }) => host)
  const [printer, ...guests] = buildGuests(inventory, room)
  if (!printer) return
  yield { id, scan_type: 'full', hosts: [...active, printer, ...guests.slice(0, 1)] }
  // Another machine has taken the address of the printer.
  const taker = { ...printer, ...GUESTS[3], mac_address: buildMac(inventory, '00:1b:21', room * 100 + 50) }
  yield { id, scan_type: 'deep', hosts: [...changeHosts(active), ...early, taker, ...guests] }
}

/** Yields two scans of a network of each of the first rooms, in chronological order. */
export function* scanRows(inventory: Inventory): Generator<ScanRow> {
  for (let room = 0; room < Math.min(ROOMS, inventory.layout.rooms); room++) yield* buildScans(inventory, room)
}

/** Disabled: a real network with the same addresses must not be scanned. */
export function* buildRuleRows({ layout }: Inventory): Generator<RuleRow> {
  for (let room = 0; room < Math.min(ROOMS - 1, layout.rooms); room++)
    yield {
      network_id: segmentNetworkId(layout, toRoom(layout, room), 0),
      scan_type: room === 0 ? 'deep' : 'quick',
      interval_hours: 24,
      enabled: false,
    }
}
