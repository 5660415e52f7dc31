/** The places of the UI: one list for the sidebar, the palette and the keys that begin with g. */
import { Boxes, Building2, LayoutDashboard, type LucideIcon, Network, Server, Ticket } from 'lucide-react'

export type Place = {
  readonly to: '/' | '/datacenters' | '/networks' | '/pools' | '/reservations' | '/devices'
  readonly text: string
  readonly icon: LucideIcon
  /** After g. */
  readonly key: string
  readonly permission: string | undefined
  /** Where the number beside it comes from. */
  readonly counted: string | undefined
}

export const HOME: Place = {
  to: '/',
  text: 'Overview',
  icon: LayoutDashboard,
  key: 'o',
  permission: undefined,
  counted: undefined,
}

export const INVENTORY: readonly Place[] = [
  {
    to: '/datacenters',
    text: 'Datacenters',
    icon: Building2,
    key: 'c',
    permission: 'datacenters:list',
    counted: 'datacenters',
  },
  { to: '/networks', text: 'Networks', icon: Network, key: 'n', permission: 'networks:list', counted: 'networks' },
  { to: '/pools', text: 'Pools', icon: Boxes, key: 'p', permission: 'pools:list', counted: 'pools' },
  {
    to: '/reservations',
    text: 'Reservations',
    icon: Ticket,
    key: 'r',
    permission: 'reservations:list',
    counted: 'reservations',
  },
  { to: '/devices', text: 'Devices', icon: Server, key: 'd', permission: 'devices:list', counted: 'devices' },
]

export const PLACES: readonly Place[] = [HOME, ...INVENTORY]
