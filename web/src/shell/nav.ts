/**
 * The navigation. The sidebar has entries, and each entry has one or more pages. The sidebar, the links below the page head, the settings,
 * the palette and the shortcuts that begin with g read it.
 */
import {
  AppWindow,
  BookA,
  Boxes,
  Building2,
  Cable,
  CalendarClock,
  ClipboardList,
  GitPullRequestArrow,
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
  RadioTower,
  RefreshCw,
  Rows3,
  Rss,
  ScanSearch,
  ScrollText,
  Server,
  Settings,
  Shapes,
  ShieldCheck,
  SquareDashed,
  Tags,
  Ticket,
  TriangleAlert,
  Upload,
  User,
  Users,
  UsersRound,
  Waypoints,
  Webhook,
} from 'lucide-react'
import { isPath, type Path } from '../pages.ts'

/** A page that is reached by the navigation. */
export type NavItem = {
  readonly to: Path
  readonly text: string
  /** The text among the pages of its entry, if that is another. */
  readonly tabText?: string
  readonly icon: LucideIcon
  /** The key after g. */
  readonly key?: string
  readonly permission: string | undefined
  /** The noun of "New ..." in the palette. Undefined if the page creates nothing. */
  readonly creates?: string
  /** The types of search results and of audited objects that the page shows. */
  readonly types?: readonly string[]
  /** The parameter that opens the drawer of an object, for objects without a page; `edit` by default. */
  readonly drawer?: 'edit' | 'entry'
  /** The tab of that drawer. */
  readonly tab?: string
  /** Left out of the sidebar for users whom it does not concern. */
  readonly isAsked?: true
}

/** A link of the sidebar. It has the icon of its first page. */
export type NavEntry = { readonly text: string; readonly pages: readonly [NavItem, ...NavItem[]] }
export type NavGroup = { readonly name: string; readonly entries: readonly NavEntry[] }

/** Returns the parts that follow from the name of a resource. */
const list = <const Name extends string>(name: Name, noun: string) =>
  ({ to: `/${name}`, permission: `${name}:list`, creates: noun, types: [noun] }) as const

/** Returns the entry of a single page. */
const createEntry = (page: NavItem): NavEntry => ({ text: page.text, pages: [page] })

const DISCOVERED = { permission: 'discovery:list' } as const
export const DNS = { to: '/dns', text: 'DNS', icon: BookA, key: 'z', permission: 'dns:list' } as const

/** The entries without a group. */
export const FIRST_ENTRIES: readonly NavEntry[] = [
  createEntry({ to: '/', text: 'Overview', icon: LayoutDashboard, key: 'o', permission: undefined }),
  {
    text: 'Inbox',
    pages: [
      { ...DISCOVERED, to: '/inbox', text: 'Inbox', tabText: 'Discovered', icon: Inbox, key: 'i' },
      {
        to: '/conflicts',
        text: 'Conflicts',
        icon: TriangleAlert,
        key: 'x',
        permission: 'conflicts:list',
        types: ['conflict'],
        drawer: 'entry',
      },
      { to: '/reports', text: 'Reports', icon: ClipboardList, permission: 'reports:read' },
    ],
  },
]

export const GROUPS: readonly NavGroup[] = [
  {
    name: 'Addresses',
    entries: [
      {
        text: 'Networks',
        pages: [
          { ...list('networks', 'network'), text: 'Networks', icon: Network, key: 'n' },
          { ...list('vlans', 'VLAN'), types: ['vlan'], text: 'VLANs', icon: Tags, key: 'q' },
          { ...list('spaces', 'address space'), types: ['space'], text: 'Address spaces', icon: Layers, key: 'j' },
        ],
      },
      {
        text: 'Pools',
        pages: [
          { ...list('pools', 'pool'), text: 'Pools', icon: Boxes, key: 'p' },
          { ...list('reservations', 'reservation'), text: 'Reservations', icon: Ticket, key: 'v' },
        ],
      },
      createEntry({ ...DNS, creates: 'zone', types: ['dns-zone'] }),
    ],
  },
  {
    name: 'Equipment',
    entries: [
      {
        text: 'Devices',
        pages: [
          { ...list('devices', 'device'), text: 'Devices', icon: Server, key: 'd' },
          {
            ...list('device-types', 'device type'),
            types: ['device-type'],
            text: 'Device types',
            icon: HardDrive,
            key: 'T',
          },
        ],
      },
      {
        text: 'Sites and racks',
        pages: [
          { ...list('datacenters', 'datacenter'), text: 'Datacenters', icon: Building2, key: 'c' },
          { ...list('racks', 'rack'), text: 'Racks', icon: Rows3, key: 'R' },
        ],
      },
      createEntry({ ...list('cables', 'cable'), text: 'Cables', icon: Cable, key: 'C' }),
      createEntry({
        to: '/topology',
        text: 'Topology',
        icon: Waypoints,
        key: 't',
        permission: 'relationships:list',
      }),
    ],
  },
  {
    name: 'Discovery',
    entries: [
      {
        text: 'Scans',
        pages: [
          { ...DISCOVERED, to: '/scans', text: 'Scans', icon: Radar, key: 's', creates: 'scan', types: ['scan'] },
          {
            ...DISCOVERED,
            to: '/rules',
            text: 'Schedules',
            icon: CalendarClock,
            key: 'r',
            creates: 'schedule',
            types: ['discovery-rule'],
          },
          { ...list('scanners', 'scanner'), text: 'Scanners', icon: RadioTower, key: 'N' },
        ],
      },
      createEntry({ ...list('sources', 'source'), text: 'Sources', icon: RefreshCw, key: 'U' }),
      createEntry({
        ...DISCOVERED,
        to: '/discovered-devices',
        text: 'Discovered devices',
        icon: ScanSearch,
        key: 'f',
        types: ['discovered_device', 'discovery'],
        drawer: 'entry',
      }),
    ],
  },
  {
    name: 'Activity',
    entries: [
      {
        text: 'Proposals',
        pages: [
          {
            ...{ to: '/proposals', text: 'Proposals', icon: GitPullRequestArrow, key: 'M' },
            ...{ permission: 'proposals:list', types: ['proposal'], isAsked: true },
          },
          {
            ...{ to: '/request', text: 'Request', icon: ListPlus, key: 'Q' },
            ...{ permission: 'proposals:create', isAsked: true },
          },
        ],
      },
      // One of several permissions; the page names them.
      createEntry({ to: '/history', text: 'History', icon: History, key: 'y', permission: undefined }),
      createEntry({ to: '/audit', text: 'Audit log', icon: ScrollText, key: 'a', permission: 'audit:list' }),
    ],
  },
  {
    name: 'Connect',
    entries: [
      createEntry({ to: '/import', text: 'Import', icon: Upload, key: 'I', permission: 'devices:create' }),
      {
        text: 'Feeds and webhooks',
        pages: [
          { ...list('feeds', 'feed'), text: 'Feeds', icon: Rss, key: 'b' },
          { ...list('webhooks', 'webhook'), text: 'Webhooks', icon: Webhook, key: 'w', permission: 'webhook:list' },
        ],
      },
      createEntry({ to: '/connect', text: 'AI clients', icon: Plug, key: 'm', permission: undefined }),
    ],
  },
]

/** The pages of the settings, which have a list of their own. */
export const SETTINGS: readonly { readonly name: string; readonly pages: readonly NavItem[] }[] = [
  {
    name: 'People',
    pages: [
      { ...list('users', 'user'), text: 'Users', icon: Users, key: 'u' },
      { ...list('groups', 'group'), text: 'Groups', icon: UsersRound, key: 'G' },
      { ...list('roles', 'role'), text: 'Roles', icon: ShieldCheck, key: 'l' },
      { ...list('scopes', 'scope'), text: 'Scopes', icon: SquareDashed, key: 'S' },
      {
        ...list('sso-providers', 'identity provider'),
        types: ['sso-provider'],
        text: 'Single sign-on',
        icon: LogIn,
        key: 'P',
      },
      { ...list('policies', 'policy'), text: 'Policies', icon: ShieldCheck, key: 'L' },
    ],
  },
  {
    name: 'Programs',
    pages: [
      // The caller's own keys need no permission.
      { to: '/keys', text: 'API keys', icon: KeyRound, key: 'k', permission: undefined, creates: 'API key' },
      { to: '/oauth', text: 'OAuth clients', icon: AppWindow, key: 'h', permission: 'oauth-clients:list' },
      { ...list('credentials', 'credential'), text: 'Device credentials', icon: LockKeyhole, key: 'e' },
    ],
  },
  {
    name: 'Inventory',
    pages: [
      {
        ...list('custom-fields', 'custom field'),
        types: ['custom-field'],
        text: 'Custom fields',
        icon: ListPlus,
        key: 'F',
      },
    ],
  },
  { name: 'Plat', pages: [{ to: '/system', text: 'System', icon: Server, permission: 'metrics:read' }] },
]

/** Leads to the first page of the settings that the user may open. */
export const SETTINGS_PAGE: NavItem = {
  to: '/settings',
  text: 'Settings',
  icon: Settings,
  key: ',',
  permission: undefined,
}

/** The group of the sidebar that is followed by the kinds. */
export const BEFORE_KINDS = 'Equipment'

/** The kinds of objects that users define. The sidebar has them once there are some. */
export const KINDS_PAGE: NavItem = { ...list('kinds', 'kind'), text: 'Kinds', icon: Shapes }

export const ACCOUNT_PAGE: NavItem = { to: '/account', text: 'Your account', icon: User, permission: undefined }

const ENTRIES: readonly NavEntry[] = [...FIRST_ENTRIES, ...GROUPS.flatMap(({ entries }) => entries)]
const SETTINGS_ITEMS: readonly NavItem[] = SETTINGS.flatMap(({ pages }) => pages)

export const NAV_ITEMS: readonly NavItem[] = [
  ...ENTRIES.flatMap(({ pages }) => pages),
  ...SETTINGS_ITEMS,
  KINDS_PAGE,
  SETTINGS_PAGE,
  ACCOUNT_PAGE,
]

/** An item like `NavItem`. Ports and objects of kinds have pages, and no list of all. */
type ObjectItem = Omit<NavItem, 'to'> & { readonly to: string }

/** Objects that are in no item of the navigation. */
const PARTS: readonly ObjectItem[] = [
  { ...list('ports', 'port'), to: '/ports', text: 'Ports', icon: Cable },
  { ...list('objects', 'object'), text: 'Objects', icon: Shapes },
  { ...DNS, types: ['dns-provider'], drawer: 'edit', tab: 'servers' },
  { ...DNS, types: ['dns-record'], drawer: 'entry' },
]

const BY_TYPE: ReadonlyMap<string, ObjectItem> = new Map(
  [...NAV_ITEMS, ...PARTS].flatMap((item) => (item.types ?? []).map((type): [string, ObjectItem] => [type, item])),
)

/** Returns the title of the list of a resource, if it has one. */
export const findTitle = (resource: string): string | undefined =>
  [...NAV_ITEMS, ...PARTS].find(({ to }) => to === `/${resource}`)?.text

/** Returns the page that shows objects of this type. */
export const findItem = (type: string): ObjectItem | undefined => BY_TYPE.get(type)

/** Returns true for the path of a page, and of the objects on it. The ports of a device belong to the devices. */
const hasPath = ({ to }: NavItem, path: string): boolean =>
  path === to || (to !== '/' && path.startsWith(`${to}/`)) || (to === '/devices' && path.startsWith('/ports/'))

/** Returns the page at a path, also at the path of an object of it. */
export const findPage = (path: string): NavItem | undefined => NAV_ITEMS.find((page) => hasPath(page, path))

/** Returns the entry of the sidebar whose pages hold a path. */
export const findEntry = (path: string): NavEntry | undefined =>
  ENTRIES.find(({ pages }) => pages.some((page) => hasPath(page, path)))

/** Returns true if the path is of the settings. */
export const isOfSettings = (path: string): boolean =>
  [...SETTINGS_ITEMS, SETTINGS_PAGE].some((page) => hasPath(page, path))

/** Returns the link to an object: to its page, or to the list that opens its drawer. */
export const buildObjectLink = ({ to, drawer, tab }: Pick<ObjectItem, 'to' | 'drawer' | 'tab'>, id: string) => {
  const page = `${to}/$id`
  // All pages of objects have the same parameter.
  if (drawer === undefined && isPath(page)) return { to: page as '/devices/$id', params: { id } }
  // All others have a list.
  return { to: to as Path, search: { [drawer ?? 'edit']: id, ...(tab && { tab }) } }
}
