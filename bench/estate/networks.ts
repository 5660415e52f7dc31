/** The datacenters, networks, pools and reservations of the generated estate. */
import type { datacenters } from '../../src/inventory/datacenters/api.ts'
import type { networks } from '../../src/inventory/networks/api.ts'
import type { pools } from '../../src/inventory/pools/api.ts'
import type { reservations } from '../../src/inventory/reservations/api.ts'
import type { InputOf } from '../../src/kernel/operation.ts'
import { PURPOSES } from './catalogue.ts'
import type { Inventory } from './devices.ts'
import * as ids from './ids.ts'
import * as layouts from './layout.ts'
import { pick } from './random.ts'

type WithId = { readonly id: string }
export type DatacenterRow = InputOf<typeof datacenters.create> & WithId
export type NetworkRow = InputOf<typeof networks.create> & WithId
export type PoolRow = InputOf<typeof pools.create> & WithId
export type ReservationRow = InputOf<typeof reservations.create>

const RESERVATION_SALT = 100
/** One in this many segments has a DHCP range. */
const DHCP_EVERY = 4
/** One in this many segments has reserved addresses. */
const RESERVED_EVERY = 3
const RESERVED = 2
/** VLAN ids count through a datacenter from here and wrap around before the last valid one. */
const FIRST_VLAN = 100
const VLANS = 3900

function* listRooms({ layout }: Inventory): Generator<layouts.Room> {
  for (let room = 0; room < layout.rooms; room++) yield layouts.toRoom(layout, room)
}

function* listSegments(inventory: Inventory): Generator<{ room: layouts.Room; segment: number }> {
  for (const room of listRooms(inventory))
    for (let segment = 0; segment < inventory.layout.segments; segment++) yield { room, segment }
}

/** Returns consecutive VLANs for the server networks of a room and its management network. */
const computeVlan = ({ layout }: Inventory, { inPlace }: layouts.Room, slot: number): number =>
  FIRST_VLAN + ((inPlace * (layout.segments + 1) + slot) % VLANS)

export function* buildDatacenterRows({ layout }: Inventory): Generator<DatacenterRow> {
  for (const [place, { name, location }] of layout.places.entries())
    yield { id: ids.placeId(layout, place), name, location, description: `${name}, generated` }
}

function* placeNetworks({ layout }: Inventory): Generator<NetworkRow> {
  for (const [place, { code, name }] of layout.places.entries()) {
    const shared = { datacenter_id: ids.placeId(layout, place), description: `All of ${name}` }
    const named = (family: 4 | 6) => ({ id: ids.placeNetworkId(layout, place, family), name: `${code} IPv${family}` })
    yield { ...named(4), subnet: layouts.placeSubnet(layout, place), ...shared }
    yield { ...named(6), subnet: layouts.placeSubnet6(place), ...shared }
  }
}

function* roomNetworks(inventory: Inventory, room: layouts.Room): Generator<NetworkRow> {
  const { layout } = inventory
  const code = ids.roomCode(layout, room)
  const datacenter_id = ids.placeId(layout, room.place)
  const id = ids.roomNetworkId(layout, room)
  yield { id, name: `${code} room`, subnet: layouts.roomSubnet(room), datacenter_id, description: 'One room' }
  yield {
    id: ids.managementNetworkId(layout, room),
    name: `${code} management`,
    subnet: layouts.managementSubnet(room),
    vlan_id: computeVlan(inventory, room, layout.segments),
    datacenter_id,
    description: 'Remote management of every machine in the room',
  }
}

function* segmentNetworks(inventory: Inventory, room: layouts.Room, segment: number): Generator<NetworkRow> {
  const { layout } = inventory
  const code = ids.roomCode(layout, room)
  const row = String.fromCharCode(65 + segment)
  const shared = { vlan_id: computeVlan(inventory, room, segment), datacenter_id: ids.placeId(layout, room.place) }
  const subnet = layouts.segmentSubnet(room, segment)
  const description = `Servers of row ${row}`
  yield { id: ids.segmentNetworkId(layout, room, segment), name: `${code} row ${row}`, subnet, ...shared, description }
  if (!layouts.opensV6(segment)) return
  const subnet6 = layouts.segmentSubnet6(room, segment)
  const id = ids.segmentNetworkId6(layout, room, segment)
  yield { id, name: `${code} row ${row} IPv6`, subnet: subnet6, ...shared, description }
}

/** Yields whole datacenters first, then rooms and their segments: a parent before its children. */
export function* buildNetworkRows(inventory: Inventory): Generator<NetworkRow> {
  yield* placeNetworks(inventory)
  for (const room of listRooms(inventory)) yield* roomNetworks(inventory, room)
  for (const { room, segment } of listSegments(inventory)) yield* segmentNetworks(inventory, room, segment)
}

export function* buildPoolRows(inventory: Inventory): Generator<PoolRow> {
  const { layout } = inventory
  for (const { room, segment } of listSegments(inventory)) {
    const network_id = ids.segmentNetworkId(layout, room, segment)
    const name = `${ids.roomCode(layout, room)} row ${String.fromCharCode(65 + segment)}`
    const servers = { name: `${name} servers`, ...layouts.segmentRange(room, segment), tags: ['servers'] }
    yield { id: ids.poolId(layout, room, segment), network_id, ...servers, description: 'Fixed addresses of servers' }
    if (segment % DHCP_EVERY !== 0) continue
    const dhcp = { name: `${name} DHCP`, ...layouts.dhcpRange(room, segment), tags: ['dhcp'] }
    yield { id: ids.dhcpPoolId(layout, room, segment), network_id, ...dhcp, description: 'Handed out by DHCP' }
  }
}

export function* buildReservationRows(inventory: Inventory): Generator<ReservationRow> {
  const { layout, random } = inventory
  let count = 0
  for (const { room, segment } of listSegments(inventory)) {
    if (segment % RESERVED_EVERY !== 0) continue
    for (let n = 0; n < RESERVED; n++) {
      yield {
        pool_id: ids.poolId(layout, room, segment),
        ip_address: layouts.spareIp(room, segment, n),
        hostname: `${ids.roomCode(layout, room)}-spare-${count}.example.net`,
        purpose: pick(PURPOSES, random(count, RESERVATION_SALT)),
        notes: '',
      }
      count++
    }
  }
}
