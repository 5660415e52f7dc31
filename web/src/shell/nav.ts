/** The navigation items, shared by the sidebar, the palette and the shortcuts that begin with g. */
import {
  AppWindow,
  BookA,
  Boxes,
  Building2,
  Cable,
  CalendarClock,
  HardDrive,
  History,
  Inbox,
  KeyRound,
  Layers,
  LayoutDashboard,
  ListPlus,
  LockKeyhole,
  LogIn,
  type LucideIcon,
  Network,
  Plug,
  Radar,
  Rows3,
  Rss,
  ScanSearch,
  ScrollText,
  Server,
  ShieldCheck,
  SquareDashed,
  Tags,
  Ticket,
  TriangleAlert,
  Users,
  UsersRound,
  Waypoints,
  Webhook,
} from 'lucide-react'
import type { Optional } from '../api/contracts.ts'
import { isPath, type Path } from '../pages.ts'

export type NavItem = {
  readonly to: Path
  readonly text: string
  readonly icon: LucideIcon
  /** The key after g. */
  readonly key: string
  readonly permission: string | undefined
  /** The noun of "New ..." in the palette. Undefined if the page creates nothing. */
  readonly creates?: string
  /** The types of search results and of audited objects that the page shows. */
  readonly types?: readonly string[]
  /** The parameter that opens the drawer of an object, for objects without a page; `edit` by default. */
  readonly drawer?: 'edit' | 'entry'
  /** The tab of that drawer. */
  readonly tab?: string
  /** The key of the query with the number beside the item. */
  readonly counted: string | undefined
  /** Left out of the bar of a phone, which has little room. */
  readonly isRoomy?: boolean
  /** In the sidebar once there is an object of this resource. */
  readonly optional?: Optional
}

/** Returns the parts that follow from the name of a resource. */
const list = <const Name extends string>(name: Name, noun: string) =>
  ({ to: `/${name}`, permission: `${name}:list`, creates: noun, types: [noun], counted: name }) as const

export const HOME: NavItem = {
  to: '/',
  text: 'Overview',
  icon: LayoutDashboard,
  key: 'o',
  permission: undefined,
  counted: undefined,
}

export const INVENTORY: readonly NavItem[] = [
  { ...list('datacenters', 'datacenter'), text: 'Datacenters', icon: Building2, key: 'c' },
  { ...list('vlans', 'VLAN'), types: ['vlan'], text: 'VLANs', icon: Tags, key: 'q', isRoomy: true, optional: 'vlans' },
  { ...list('networks', 'network'), text: 'Networks', icon: Network, key: 'n' },
  {
    ...list('spaces', 'address space'),
    types: ['space'],
    text: 'Address spaces',
    icon: Layers,
    key: 'j',
    isRoomy: true,
    optional: 'spaces',
  },
  { ...list('pools', 'pool'), text: 'Pools', icon: Boxes, key: 'p' },
  { ...list('reservations', 'reservation'), text: 'Reservations', icon: Ticket, key: 'v' },
  { ...list('devices', 'device'), text: 'Devices', icon: Server, key: 'd' },
  { ...list('racks', 'rack'), text: 'Racks', icon: Rows3, key: 'R', isRoomy: true, optional: 'racks' },
  {
    ...list('device-types', 'device type'),
    types: ['device-type'],
    text: 'Device types',
    icon: HardDrive,
    key: 'T',
    isRoomy: true,
    optional: 'device-types',
  },
  { ...list('cables', 'cable'), text: 'Cables', icon: Cable, key: 'C', isRoomy: true, optional: 'cables' },
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
    ...list('custom-fields', 'custom field'),
    types: ['custom-field'],
    text: 'Custom fields',
    icon: ListPlus,
    key: 'F',
    isRoomy: true,
    optional: 'custom-fields',
  },
  {
    to: '/conflicts',
    text: 'Conflicts',
    icon: TriangleAlert,
    key: 'x',
    permission: 'conflicts:list',
    types: ['conflict'],
    drawer: 'entry',
    counted: 'conflicts',
    isRoomy: true,
  },
  {
    to: '/history',
    text: 'History',
    icon: History,
    key: 'y',
    // One of several; the page names them.
    permission: undefined,
    counted: undefined,
    isRoomy: true,
  },
]

const DISCOVERED = { permission: 'discovery:list', counted: undefined } as const

export const DISCOVERY: readonly NavItem[] = [
  { ...DISCOVERED, to: '/scans', text: 'Scans', icon: Radar, key: 's', creates: 'scan', types: ['scan'] },
  {
    ...DISCOVERED,
    to: '/discovered-devices',
    text: 'Discovered devices',
    icon: ScanSearch,
    key: 'f',
    types: ['discovered_device', 'discovery'],
    drawer: 'entry',
  },
  { ...DISCOVERED, to: '/inbox', text: 'Inbox', icon: Inbox, key: 'i' },
  {
    ...DISCOVERED,
    to: '/rules',
    text: 'Schedules',
    icon: CalendarClock,
    key: 'r',
    creates: 'schedule',
    types: ['discovery-rule'],
    counted: 'discovery-rules',
  },
]

const DNS = { to: '/dns', text: 'DNS', icon: BookA, key: 'z', permission: 'dns:list', counted: 'dns-zones' } as const

/** An item like `NavItem`. Ports have pages, and no list. */
type ObjectItem = Omit<NavItem, 'to'> & { readonly to: string }

/** Objects that are in no item of the navigation. */
const PARTS: readonly ObjectItem[] = [
  { ...list('ports', 'port'), to: '/ports', text: 'Ports', icon: Cable, key: '' },
  { ...DNS, types: ['dns-provider'], drawer: 'edit', tab: 'servers' },
  { ...DNS, types: ['dns-record'], drawer: 'entry' },
]

export const AUTOMATION: readonly NavItem[] = [
  { ...list('webhooks', 'webhook'), text: 'Webhooks', icon: Webhook, key: 'w', permission: 'webhook:list' },
  { ...list('feeds', 'feed'), text: 'Feeds', icon: Rss, key: 'b' },
  { ...DNS, creates: 'zone', types: ['dns-zone'] },
]

export const ACCESS: readonly NavItem[] = [
  { ...list('users', 'user'), text: 'Users', icon: Users, key: 'u' },
  { ...list('groups', 'group'), text: 'Groups', icon: UsersRound, key: 'G' },
  { ...list('roles', 'role'), text: 'Roles', icon: ShieldCheck, key: 'l' },
  { ...list('scopes', 'scope'), text: 'Scopes', icon: SquareDashed, key: 'S' },
  { ...list('sso-providers', 'provider'), types: ['sso-provider'], text: 'Providers', icon: LogIn, key: 'P' },
  // The caller's own keys need no permission.
  {
    to: '/keys',
    text: 'API keys',
    icon: KeyRound,
    key: 'k',
    permission: undefined,
    creates: 'API key',
    counted: 'keys',
  },
  { ...list('credentials', 'credential'), text: 'Credentials', icon: LockKeyhole, key: 'e' },
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

const BY_TYPE: ReadonlyMap<string, ObjectItem> = new Map(
  [...NAV_ITEMS, ...PARTS].flatMap((item) => (item.types ?? []).map((type): [string, ObjectItem] => [type, item])),
)

/** Returns the title of the list of a resource, if it has one. */
export const findTitle = (resource: string): string | undefined =>
  [...INVENTORY, ...PARTS].find(({ to }) => to === `/${resource}`)?.text

/** Returns the page that shows objects of this type. */
export const findItem = (type: string): ObjectItem | undefined => BY_TYPE.get(type)

/** Returns the link to an object: to its page, or to the list that opens its drawer. */
export const buildObjectLink = ({ to, drawer, tab }: Pick<ObjectItem, 'to' | 'drawer' | 'tab'>, id: string) => {
  const page = `${to}/$id`
  // All pages of objects have the same parameter.
  if (drawer === undefined && isPath(page)) return { to: page as '/devices/$id', params: { id } }
  // All others have a list.
  return { to: to as Path, search: { [drawer ?? 'edit']: id, ...(tab && { tab }) } }
}
