/** The devices of the generated estate and their connections. Each is derived from its number only. */
import type { devices } from '../../src/inventory/devices/api.ts'
import type { Relationship } from '../../src/inventory/relationships/api.ts'
import type { InputOf } from '../../src/kernel/operation.ts'
import { ENVIRONMENTS, HYPERVISOR, ROLES, type Role, STATUSES, SWITCH, TEAMS } from './catalogue.ts'
import { placeId, poolId, roomCode, segmentNetworkId } from './ids.ts'
import {
  findDevice,
  type Layout,
  managementIp,
  type Room,
  type Seat,
  serverIp,
  serverIp6,
  toRoom,
  toSeat,
} from './layout.ts'
import { pick, type Random } from './random.ts'

export type DeviceRow = InputOf<typeof devices.create> & { readonly id: string }
export type RelationshipRow = Omit<Relationship, 'managed_by' | 'created_at'>

/** Each random property of a device has its own salt. */
const SALT = { role: 1, machine: 2, environment: 3, team: 4, status: 5, isVirtual: 6, needed: 7 } as const
/** Seats of a segment: its switch, then its hypervisors. */
const SWITCH_SEAT = 0
const HYPERVISORS = 6
/** The share of the other machines that run on a hypervisor. */
const VIRTUAL_SHARE = 0.55
/** Seats that are searched for a machine to depend on. */
const NEIGHBOURS = 12
const UNITS_PER_RACK = 25

type Machine = {
  readonly device: number
  readonly seat: Seat
  readonly room: Room
  readonly role: Role
  readonly isVirtual: boolean
}

export type Inventory = { readonly layout: Layout; readonly random: Random }

const getRole = ({ random }: Inventory, device: number, { inSegment }: Seat): Role => {
  if (inSegment === SWITCH_SEAT) return SWITCH
  return inSegment <= HYPERVISORS ? HYPERVISOR : pick(ROLES, random(device, SALT.role))
}

const getMachine = (inventory: Inventory, device: number): Machine => {
  const seat = toSeat(inventory.layout, device)
  const isVirtual = seat.inSegment > HYPERVISORS && inventory.random(device, SALT.isVirtual) < VIRTUAL_SHARE
  return { device, seat, room: toRoom(inventory.layout, seat.room), role: getRole(inventory, device, seat), isVirtual }
}

const buildName = ({ layout }: Inventory, { seat, room, role }: Machine): string =>
  `${roomCode(layout, room)}-${role.name}-${String(seat.inRoom).padStart(3, '0')}`

const hypervisorSeat = ({ inSegment }: Seat): number => 1 + (inSegment % HYPERVISORS)

const buildLocation = (inventory: Inventory, { seat, room, isVirtual }: Machine): string => {
  if (isVirtual) {
    const host = findDevice(inventory.layout, seat, hypervisorSeat(seat))
    if (host !== undefined) return `On ${buildName(inventory, getMachine(inventory, host))}`
  }
  const rack = `${String.fromCharCode(65 + seat.segment)}${Math.floor(seat.inSegment / UNITS_PER_RACK) + 1}`
  return `Room ${room.inPlace + 1}, Rack ${rack}, U${(seat.inSegment % UNITS_PER_RACK) + 1}`
}

/** Every third machine has IPv6 as well; the others have a management address. */
const secondAddress = ({ seat, room, isVirtual }: Machine) =>
  isVirtual && seat.inRoom % 3 === 0
    ? { ip: serverIp6(room, seat), label: 'ipv6' }
    : { ip: managementIp(room, seat), label: 'management', port: 22 }

const buildDomains = (inventory: Inventory, { device, role }: Machine): string[] => {
  const team = pick(TEAMS, inventory.random(device, SALT.team))
  if (role.name === 'web') return [`${team}-${device}.example.com`]
  return role.name === 'lb' ? [`${team}-${device}.example.com`, `*.${team}-${device}.example.net`] : []
}

/** Returns the device on a seat. @param device 0 up to and without `layout.devices` */
export const buildDeviceRow = (inventory: Inventory, device: number): DeviceRow => {
  const { layout, random } = inventory
  const machine = getMachine(inventory, device)
  const { seat, room, role, isVirtual } = machine
  const name = buildName(inventory, machine)
  const { model, system } = pick(role.machines, random(device, SALT.machine))
  const environment = pick(ENVIRONMENTS, random(device, SALT.environment))
  const team = pick(TEAMS, random(device, SALT.team))
  const port = isVirtual || role === SWITCH ? {} : { switch_port: `Ethernet1/${seat.inSegment}` }
  const primary = {
    ip: serverIp(room, seat),
    label: 'primary',
    network_id: segmentNetworkId(layout, room, seat.segment),
    pool_id: poolId(layout, room, seat.segment),
    ...port,
  }
  return {
    id: name,
    name,
    hostname: `${name}.example.net`,
    description: `${role.about} of the ${team} team, ${environment}`,
    make_model: isVirtual ? 'Virtual machine' : model,
    os: system,
    status: pick(STATUSES, random(device, SALT.status)),
    datacenter_id: placeId(layout, room.place),
    username: role === SWITCH ? 'netops' : 'admin',
    location: buildLocation(inventory, machine),
    tags: [role.name, environment, team],
    addresses: [primary, secondAddress(machine)],
    domains: buildDomains(inventory, machine),
  }
}

const findNeededMachine = (inventory: Inventory, { device, seat, role }: Machine): Machine | undefined => {
  const { layout, random } = inventory
  if (role.needs === undefined) return undefined
  const from = HYPERVISORS + 1 + Math.floor(random(device, SALT.needed) * NEIGHBOURS)
  for (let at = from; at < from + NEIGHBOURS; at++) {
    const candidate = findDevice(layout, seat, at)
    if (candidate === undefined || candidate === device) continue
    const machine = getMachine(inventory, candidate)
    if (machine.role.name === role.needs) return machine
  }
  return undefined
}

/** Yields the relationships in which a device is hosted, connected or dependent. */
export function* buildRelationshipRows(inventory: Inventory, device: number): Generator<RelationshipRow> {
  const machine = getMachine(inventory, device)
  const { seat, role, isVirtual } = machine
  const id = buildName(inventory, machine)
  if (role === SWITCH) return
  const holder = findDevice(inventory.layout, seat, isVirtual ? hypervisorSeat(seat) : SWITCH_SEAT)
  if (holder !== undefined) {
    const parent_id = buildName(inventory, getMachine(inventory, holder))
    if (isVirtual) yield { parent_id, child_id: id, type: 'contains', notes: '' }
    else yield { parent_id, child_id: id, type: 'connected_to', notes: `Ethernet1/${seat.inSegment}` }
  }
  const needed = findNeededMachine(inventory, machine)
  if (needed)
    yield {
      parent_id: id,
      child_id: buildName(inventory, needed),
      type: 'depends_on',
      notes: `${needed.role.about} nearby`,
    }
}
