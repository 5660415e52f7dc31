/**
 * The pages of the UI: paths, with `$` before parameters, and the files of their components. The routes are made of
 * them, and the build passes the paths to the server, which answers 404 for others.
 */
import { RESOURCE_NAMES, type Resource } from './resource/facts/names.ts'

/** The resources without a list. Relationships and ports are on the page of a device, objects on the page of their kind. */
type Unlisted = 'relationships' | 'ports' | 'objects'
type Listed = Exclude<Resource, Unlisted>
const UNLISTED: readonly Resource[] = ['relationships', 'ports', 'objects'] satisfies readonly Unlisted[]
const isListed = (name: Resource): name is Listed => !UNLISTED.includes(name)

/** The compiler does not know the keys of the result of `Object.fromEntries`. */
const LISTS = Object.fromEntries(
  RESOURCE_NAMES.filter(isListed).map((name) => [`/${name}`, `${name}/${name}-page`]),
) as {
  readonly [R in Listed as `/${R}`]: `${R}/${R}-page`
}

export const PAGES = {
  ...LISTS,
  '/': 'overview/overview-page',
  '/account': 'account/account-page',
  '/activate': 'device-login/activate-page',
  '/audit': 'audit/audit-page',
  '/conflicts': 'conflicts/conflicts-page',
  '/connect': 'connect/connect-page',
  '/credentials': 'access/credentials-page',
  '/datacenters/$id': 'datacenters/datacenter-page',
  '/devices/$id': 'devices/device-page',
  '/dns': 'dns/dns-page',
  '/dns/$id': 'dns/zone-page',
  '/discovered-devices': 'discovery/discovered-devices-page',
  '/feeds': 'feeds/feeds-page',
  '/feeds/$id': 'feeds/feed-page',
  '/groups': 'access/groups-page',
  '/groups/$id': 'access/group-page',
  '/history': 'history/history-page',
  '/history/$id': 'history/change-page',
  '/history/diff': 'history/diff-page',
  '/import': 'import/import-page',
  '/inbox': 'discovery/inbox/inbox-page',
  '/keys': 'access/keys-page',
  '/kinds/$id': 'kinds/kind-page',
  '/networks/$id': 'networks/network-page',
  '/oauth': 'oauth/clients-page',
  '/objects/$id': 'kinds/kind-object-page',
  '/pools/$id': 'pools/pool-page',
  '/ports/$id': 'ports/port-page',
  '/racks/$id': 'racks/rack-page',
  '/policies': 'policies/policies-page',
  '/proposals': 'proposals/proposals-page',
  '/proposals/$id': 'proposals/proposal-page',
  '/reports': 'reports/reports-page',
  '/reports/$id': 'reports/report-page',
  '/request': 'request/request-page',
  '/roles': 'access/roles/roles-page',
  '/roles/$id': 'access/roles/role-page',
  '/rules': 'discovery/scans/rules-page',
  '/scanners/$id': 'scanners/scanner-page',
  '/scans': 'discovery/scans/scans-page',
  '/scans/$id': 'discovery/scans/scan-page',
  '/scopes': 'access/scopes-page',
  '/scopes/$id': 'access/scope-page',
  '/settings': 'settings/settings-page',
  '/sources': 'sources/sources-page',
  '/sources/$id': 'sources/source-page',
  '/sso-providers': 'access/sso-providers-page',
  '/system': 'system/system-page',
  '/topology': 'topology/topology-page',
  '/users': 'access/users/users-page',
  '/users/$id': 'access/users/user-page',
  '/webhooks': 'webhooks/webhooks-page',
  '/webhooks/$id': 'webhooks/webhook-page',
} as const

export type Path = keyof typeof PAGES

/** Earlier paths of pages, which links and saved views may still have. */
export const MOVED = { '/device': '/activate', '/found': '/discovered-devices' } as const satisfies Readonly<
  Record<string, Path>
>

export const isPath = (path: string): path is Path => Object.hasOwn(PAGES, path)

/** Returns the component that a file exports. @example toComponentName('access/roles/role-page') // 'RolePage' */
export const toComponentName = (file: string): string =>
  file
    .slice(file.lastIndexOf('/') + 1)
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The resources with pages of their objects. */
type PagedOf<P extends Path> = P extends `/${infer Resource}/$id` ? Resource : never
export type Paged = PagedOf<Path>
