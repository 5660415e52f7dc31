/**
 * The pages of the UI: paths, with `$` before parameters, and the files of their components. The routes are made of
 * them, and the build passes the paths to the server, which answers 404 for others.
 */

const lazy = <const P extends string, Module, const Name extends keyof Module & string>(
  path: P,
  load: () => Promise<Module>,
  name: Name,
) => ({ path, load, name })

/** The most used pages, which are in the first file with all shared code (routes.tsx). */
export const FIRST_PATHS = ['/', '/devices', '/devices/$id'] as const

/** Each of these is one file. More files would cost more in requests than they save in bytes. */
export const PAGES = [
  lazy('/account', () => import('./account/account-page.tsx'), 'AccountPage'),
  lazy('/audit', () => import('./audit/audit-page.tsx'), 'AuditPage'),
  lazy('/conflicts', () => import('./conflicts/conflicts-page.tsx'), 'ConflictsPage'),
  lazy('/connect', () => import('./connect/connect-page.tsx'), 'ConnectPage'),
  lazy('/credentials', () => import('./access/credentials-page.tsx'), 'CredentialsPage'),
  lazy('/datacenters', () => import('./datacenters/datacenters-page.tsx'), 'DatacentersPage'),
  lazy('/datacenters/$id', () => import('./datacenters/datacenter-page.tsx'), 'DatacenterPage'),
  lazy('/found', () => import('./discovery/discovered-devices-page.tsx'), 'DiscoveredDevicesPage'),
  lazy('/import', () => import('./import/import-page.tsx'), 'ImportPage'),
  lazy('/inbox', () => import('./discovery/inbox-page.tsx'), 'InboxPage'),
  lazy('/keys', () => import('./access/keys-page.tsx'), 'KeysPage'),
  lazy('/networks', () => import('./networks/networks-page.tsx'), 'NetworksPage'),
  lazy('/networks/$id', () => import('./networks/network-page.tsx'), 'NetworkPage'),
  lazy('/oauth', () => import('./oauth/clients-page.tsx'), 'ClientsPage'),
  lazy('/pools', () => import('./pools/pools-page.tsx'), 'PoolsPage'),
  lazy('/pools/$id', () => import('./pools/pool-page.tsx'), 'PoolPage'),
  lazy('/reservations', () => import('./reservations/reservations-page.tsx'), 'ReservationsPage'),
  lazy('/roles', () => import('./access/roles-page.tsx'), 'RolesPage'),
  lazy('/roles/$id', () => import('./access/role-page.tsx'), 'RolePage'),
  lazy('/rules', () => import('./discovery/rules-page.tsx'), 'RulesPage'),
  lazy('/scans', () => import('./discovery/scans-page.tsx'), 'ScansPage'),
  lazy('/scans/$id', () => import('./discovery/scan-page.tsx'), 'ScanPage'),
  lazy('/topology', () => import('./topology/topology-page.tsx'), 'TopologyPage'),
  lazy('/users', () => import('./access/users-page.tsx'), 'UsersPage'),
  lazy('/users/$id', () => import('./access/user-page.tsx'), 'UserPage'),
  lazy('/webhooks', () => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  lazy('/webhooks/$id', () => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
] as const

export type Path = (typeof FIRST_PATHS)[number] | (typeof PAGES)[number]['path']
export const PATHS: ReadonlySet<string> = new Set([...FIRST_PATHS, ...PAGES.map(({ path }) => path)])

/** The resources whose objects have pages. */
type PagedOf<P extends Path> = P extends `/${infer Resource}/$id` ? Resource : never
export type Paged = PagedOf<Path>
