/**
 * The pages of the UI: paths, with `$` before parameters, and the files of their components. The routes are made of
 * them, and the build passes the paths to the server, which answers 404 for others. Imports nothing.
 */

export const PAGES = {
  '/': 'overview/overview-page',
  '/account': 'account/account-page',
  '/audit': 'audit/audit-page',
  '/conflicts': 'conflicts/conflicts-page',
  '/connect': 'connect/connect-page',
  '/credentials': 'access/credentials-page',
  '/datacenters': 'datacenters/datacenters-page',
  '/datacenters/$id': 'datacenters/datacenter-page',
  '/devices': 'devices/devices-page',
  '/devices/$id': 'devices/device-page',
  '/discovered-devices': 'discovery/discovered-devices-page',
  '/import': 'import/import-page',
  '/inbox': 'discovery/inbox-page',
  '/keys': 'access/keys-page',
  '/networks': 'networks/networks-page',
  '/networks/$id': 'networks/network-page',
  '/oauth': 'oauth/clients-page',
  '/pools': 'pools/pools-page',
  '/pools/$id': 'pools/pool-page',
  '/reservations': 'reservations/reservations-page',
  '/roles': 'access/roles-page',
  '/roles/$id': 'access/role-page',
  '/rules': 'discovery/rules-page',
  '/scans': 'discovery/scans-page',
  '/scans/$id': 'discovery/scan-page',
  '/topology': 'topology/topology-page',
  '/users': 'access/users-page',
  '/users/$id': 'access/user-page',
  '/webhooks': 'webhooks/webhooks-page',
  '/webhooks/$id': 'webhooks/webhook-page',
} as const

export type Path = keyof typeof PAGES

/** Earlier paths of pages, which links and saved views may still have. */
export const MOVED = { '/found': '/discovered-devices' } as const satisfies Readonly<Record<string, Path>>

export const isPath = (path: string): path is Path => Object.hasOwn(PAGES, path)

/** The component that a file exports. @example componentOf('access/role-page') // 'RolePage' */
export const componentOf = (file: string): string =>
  file
    .slice(file.indexOf('/') + 1)
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The resources whose objects have pages. */
type PagedOf<P extends Path> = P extends `/${infer Resource}/$id` ? Resource : never
export type Paged = PagedOf<Path>
