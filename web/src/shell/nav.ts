/** The navigation items, shared by the sidebar, the palette and the shortcuts that begin with g. */
import {
  AppWindow,
  Boxes,
  Building2,
  CalendarClock,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LockKeyhole,
  type LucideIcon,
  Network,
  Plug,
  Radar,
  ScanSearch,
  ScrollText,
  Server,
  ShieldCheck,
  Ticket,
  TriangleAlert,
  Users,
  Waypoints,
  Webhook,
} from 'lucide-react'
import type { Path } from '../paths.ts'

export type NavItem = {
  readonly to: Path
  readonly text: string
  readonly icon: LucideIcon
  /** The key after g. */
  readonly key: string
  readonly permission: string | undefined
  /** The object that the palette offers to create, with the permission for it. Undefined needs none. */
  readonly creates?: { readonly noun: string; readonly permission: string | undefined }
  /** The key of the query whose number is shown beside the item. */
  readonly counted: string | undefined
  /** Left out of the bar of a phone, which has little room. */
  readonly isRoomy?: boolean
}

export const HOME: NavItem = {
  to: '/',
  text: 'Overview',
  icon: LayoutDashboard,
  key: 'o',
  permission: undefined,
  counted: undefined,
}

export const INVENTORY: readonly NavItem[] = [
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
    key: 'v',
    permission: 'reservations:list',
    counted: 'reservations',
  },
  { to: '/devices', text: 'Devices', icon: Server, key: 'd', permission: 'devices:list', counted: 'devices' },
  {
    to: '/topology',
    text: 'Topology',
    icon: Waypoints,
    key: 't',
    permission: 'relationships:list',
    counted: undefined,
    isRoomy: true,
  },
  {
    to: '/conflicts',
    text: 'Conflicts',
    icon: TriangleAlert,
    key: 'x',
    permission: 'conflicts:list',
    counted: 'conflicts',
    isRoomy: true,
  },
]

export const DISCOVERY: readonly NavItem[] = [
  { to: '/scans', text: 'Scans', icon: Radar, key: 's', permission: 'discovery:list', counted: undefined },
  {
    to: '/found',
    text: 'Discovered devices',
    icon: ScanSearch,
    key: 'f',
    permission: 'discovery:list',
    counted: undefined,
  },
  { to: '/inbox', text: 'Inbox', icon: Inbox, key: 'i', permission: 'discovery:list', counted: undefined },
  {
    to: '/rules',
    text: 'Rules',
    icon: CalendarClock,
    key: 'r',
    permission: 'discovery:list',
    counted: 'discovery-rules',
  },
]

export const AUTOMATION: readonly NavItem[] = [
  { to: '/webhooks', text: 'Webhooks', icon: Webhook, key: 'w', permission: 'webhook:list', counted: 'webhooks' },
]

export const ACCESS: readonly NavItem[] = [
  { to: '/users', text: 'Users', icon: Users, key: 'u', permission: 'users:list', counted: 'users' },
  { to: '/roles', text: 'Roles', icon: ShieldCheck, key: 'l', permission: 'roles:list', counted: 'roles' },
  // The caller's own keys need no permission.
  { to: '/keys', text: 'API keys', icon: KeyRound, key: 'k', permission: undefined, counted: 'keys' },
  {
    to: '/credentials',
    text: 'Credentials',
    icon: LockKeyhole,
    key: 'e',
    permission: 'credentials:list',
    counted: 'credentials',
  },
  {
    to: '/oauth',
    text: 'OAuth clients',
    icon: AppWindow,
    key: 'h',
    permission: 'oauth-clients:list',
    counted: 'oauth-clients',
  },
  { to: '/connect', text: 'Connect AI', icon: Plug, key: 'm', permission: undefined, counted: undefined },
  { to: '/audit', text: 'Audit log', icon: ScrollText, key: 'a', permission: 'audit:list', counted: undefined },
]

export const NAV_ITEMS: readonly NavItem[] = [HOME, ...INVENTORY, ...DISCOVERY, ...AUTOMATION, ...ACCESS]
