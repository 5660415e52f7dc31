/**
 * The address plan, as arithmetic. A datacenter has a /12 or /16 and a /48. Each of its rooms has a /20 with up to twelve /24 for
 * servers and a /22 for management, and a /64 for three of its /24 blocks. Device `i` is in room `i mod rooms`, so that every datacenter
 * is filled equally.
 */
import { PLACES, type Place } from './catalogue.ts'

const SEGMENTS_PER_ROOM = 12
const DEVICES_PER_SEGMENT = 75
const DEVICES_PER_ROOM = SEGMENTS_PER_ROOM * DEVICES_PER_SEGMENT
/** The number of /20 in a /16, and in a /12. */
const ROOMS_PER_16 = 16
const ROOMS_PER_12 = 256
/** Segments that share an IPv6 /64. */
const SEGMENTS_PER_V6 = 3
/** The servers of a segment have .10 and up; below are gateways. */
const FIRST_HOST = 10
const LAST_POOLED_HOST = 199
const MANAGEMENT_SLOT = 12

/** The number of devices for which there are addresses. */
export const MAX_DEVICES = PLACES.length * ROOMS_PER_12 * DEVICES_PER_ROOM

export type Room = { readonly place: number; readonly inPlace: number }
/** A device's seat: `inRoom` counts through its room, `inSegment` through its /24. */
export type Seat = {
  readonly room: number
  readonly inRoom: number
  readonly segment: number
  readonly inSegment: number
}

export type Layout = {
  readonly devices: number
  readonly places: readonly Place[]
  readonly rooms: number
  /** Server networks in each room. */
  readonly segments: number
  readonly isWide: boolean
}

/** @throws RangeError for fewer than one device, or more than there are addresses */
export const createLayout = (devices: number): Layout => {
  if (!Number.isInteger(devices) || devices < 1 || devices > MAX_DEVICES)
    throw new RangeError(`devices must be 1-${MAX_DEVICES}`)
  const wanted = Math.ceil(devices / DEVICES_PER_ROOM)
  const places = PLACES.slice(0, Math.min(PLACES.length, Math.max(3, Math.ceil(wanted / ROOMS_PER_16))))
  const rooms = Math.max(wanted, places.length)
  const perRoom = Math.ceil(devices / rooms)
  return {
    devices,
    places,
    rooms,
    segments: Math.ceil(perRoom / DEVICES_PER_SEGMENT),
    isWide: Math.ceil(rooms / places.length) > ROOMS_PER_16,
  }
}

export const toRoom = ({ places }: Layout, room: number): Room => ({
  place: room % places.length,
  inPlace: Math.floor(room / places.length),
})

export const toSeat = ({ rooms, segments }: Layout, device: number): Seat => {
  const inRoom = Math.floor(device / rooms)
  return { room: device % rooms, inRoom, segment: inRoom % segments, inSegment: Math.floor(inRoom / segments) }
}

/** Returns the device on another seat of the same segment; undefined if that seat is empty. */
export const findDevice = (
  { rooms, segments, devices }: Layout,
  { room, segment }: Pick<Seat, 'room' | 'segment'>,
  inSegment: number,
): number | undefined => {
  const device = (inSegment * segments + segment) * rooms + room
  return device < devices ? device : undefined
}

const formatIpv4 = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

const placeBase = (place: number): number => place << 20
const roomBase = ({ place, inPlace }: Room): number => placeBase(place) + (inPlace << 12)
const segmentBase = (room: Room, segment: number): number => roomBase(room) + (segment << 8)
const managementBase = (room: Room): number => roomBase(room) + (MANAGEMENT_SLOT << 8)
/** 2001:db8::/32 is for documentation (RFC 3849). */
const v6Place = (place: number): string => `2001:db8:${(place + 1).toString(16)}`
const v6Segment = ({ place, inPlace }: Room, segment: number): string =>
  `${v6Place(place)}:${(inPlace * 4 + Math.floor(segment / SEGMENTS_PER_V6) + 1).toString(16)}`

export const placeSubnet = ({ isWide }: Layout, place: number): string =>
  `${formatIpv4(placeBase(place))}/${isWide ? 12 : 16}`
export const placeSubnet6 = (place: number): string => `${v6Place(place)}::/48`
export const roomSubnet = (room: Room): string => `${formatIpv4(roomBase(room))}/20`
export const managementSubnet = (room: Room): string => `${formatIpv4(managementBase(room))}/22`
export const segmentSubnet = (room: Room, segment: number): string => `${formatIpv4(segmentBase(room, segment))}/24`
export const segmentSubnet6 = (room: Room, segment: number): string => `${v6Segment(room, segment)}::/64`
/** Returns true for the first segment of a /64. */
export const opensV6 = (segment: number): boolean => segment % SEGMENTS_PER_V6 === 0

export const serverIp = (room: Room, { segment, inSegment }: Seat): string =>
  formatIpv4(segmentBase(room, segment) + FIRST_HOST + inSegment)
export const serverIp6 = (room: Room, { segment, inRoom }: Seat): string =>
  `${v6Segment(room, segment)}::${(FIRST_HOST + inRoom).toString(16)}`
export const managementIp = (room: Room, { inRoom }: Seat): string =>
  formatIpv4(managementBase(room) + FIRST_HOST + inRoom)
/** Returns the part of a segment that is allocated to servers. */
export const segmentRange = (room: Room, segment: number): { start_ip: string; end_ip: string } => ({
  start_ip: formatIpv4(segmentBase(room, segment) + FIRST_HOST),
  end_ip: formatIpv4(segmentBase(room, segment) + LAST_POOLED_HOST),
})
/** Returns an address from the upper end of a segment's range, which its servers don't reach. */
export const spareIp = (room: Room, segment: number, n: number): string =>
  formatIpv4(segmentBase(room, segment) + LAST_POOLED_HOST - n)
/** Returns one of the DHCP addresses. */
export const dhcpIp = (room: Room, segment: number, n: number): string =>
  formatIpv4(segmentBase(room, segment) + LAST_POOLED_HOST + 1 + n)
/** Returns the DHCP range: the last 50 addresses of a segment. */
export const dhcpRange = (room: Room, segment: number): { start_ip: string; end_ip: string } => ({
  start_ip: formatIpv4(segmentBase(room, segment) + LAST_POOLED_HOST + 1),
  end_ip: formatIpv4(segmentBase(room, segment) + LAST_POOLED_HOST + 50),
})
