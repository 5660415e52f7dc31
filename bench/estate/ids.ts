/** The ids by which the files of the generated estate refer to each other. */
import type { Layout, Room } from './layout.ts'

const getPlaceCode = ({ places }: Layout, place: number): string => places[place]?.code ?? ''

/** @example 'fra1-r03' */
export const roomCode = (layout: Layout, { place, inPlace }: Room): string =>
  `${getPlaceCode(layout, place)}-r${String(inPlace + 1).padStart(2, '0')}`

const toLetter = (segment: number): string => String.fromCharCode(97 + segment)

export const placeId = (layout: Layout, place: number): string => `dc-${getPlaceCode(layout, place)}`
export const placeNetworkId = (layout: Layout, place: number, family: 4 | 6): string =>
  `net-${getPlaceCode(layout, place)}-v${family}`
export const roomNetworkId = (layout: Layout, room: Room): string => `net-${roomCode(layout, room)}`
export const managementNetworkId = (layout: Layout, room: Room): string => `net-${roomCode(layout, room)}-mgmt`
export const segmentNetworkId = (layout: Layout, room: Room, segment: number): string =>
  `net-${roomCode(layout, room)}-${toLetter(segment)}`
export const segmentNetworkId6 = (layout: Layout, room: Room, segment: number): string =>
  `net-${roomCode(layout, room)}-${toLetter(segment)}-v6`
export const poolId = (layout: Layout, room: Room, segment: number): string =>
  `pool-${roomCode(layout, room)}-${toLetter(segment)}`
export const dhcpPoolId = (layout: Layout, room: Room, segment: number): string =>
  `pool-${roomCode(layout, room)}-${toLetter(segment)}-dhcp`
