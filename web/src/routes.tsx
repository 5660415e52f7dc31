/** The routes of the UI. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { isCode } from './api/errors.ts'
import { meQuery, queryClient } from './api/queries.ts'
import { DevicePage } from './devices/device-page.tsx'
import { DevicesPage } from './devices/devices-page.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { CONSENT, LOGIN, type Path, STORIES } from './paths.ts'
import { parseSearch, stringifySearch } from './search-text.ts'
import { NotFoundPage, RouteFailure } from './shell/route-states.tsx'
import { PageLoading, Shell } from './shell/shell.tsx'
import { listSearch } from './table/list-search.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const login = createRoute({
  getParentRoute: () => root,
  path: LOGIN,
  validateSearch: (search: Record<string, unknown>): { next?: string; expired?: string } => ({
    ...(typeof search.next === 'string' ? { next: search.next } : {}),
    ...(typeof search.expired === 'string' ? { expired: search.expired } : {}),
  }),
  component: lazyRouteComponent(() => import('./login/login-page.tsx'), 'LoginPage'),
})

const consent = createRoute({
  getParentRoute: () => root,
  path: CONSENT,
  component: lazyRouteComponent(() => import('./oauth/consent-page.tsx'), 'ConsentPage'),
})

/** The routes that need a session. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  validateSearch: listSearch,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery)
    } catch (error) {
      if (isCode(error, 'UNAUTHORIZED')) throw redirect({ to: '/login', search: { next: location.href } })
      throw error
    }
  },
  component: Shell,
  pendingComponent: PageLoading,
  errorComponent: RouteFailure,
})

const page = <const P extends Path>(path: P, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => app,
    path,
    component,
    pendingComponent: PageLoading,
    errorComponent: RouteFailure,
  })

/**
 * The most used pages are in the first file, with all shared code. Each other page is one file. More files would cost
 * more in requests than they save in bytes.
 */
const pages = [
  page('/', OverviewPage),
  page(
    '/account',
    lazyRouteComponent(() => import('./account/account-page.tsx'), 'AccountPage'),
  ),
  page(
    '/datacenters',
    lazyRouteComponent(() => import('./datacenters/datacenters-page.tsx'), 'DatacentersPage'),
  ),
  page(
    '/datacenters/$id',
    lazyRouteComponent(() => import('./datacenters/datacenter-page.tsx'), 'DatacenterPage'),
  ),
  page(
    '/networks',
    lazyRouteComponent(() => import('./networks/networks-page.tsx'), 'NetworksPage'),
  ),
  page(
    '/networks/$id',
    lazyRouteComponent(() => import('./networks/network-page.tsx'), 'NetworkPage'),
  ),
  page(
    '/pools',
    lazyRouteComponent(() => import('./pools/pools-page.tsx'), 'PoolsPage'),
  ),
  page(
    '/pools/$id',
    lazyRouteComponent(() => import('./pools/pool-page.tsx'), 'PoolPage'),
  ),
  page(
    '/reservations',
    lazyRouteComponent(() => import('./reservations/reservations-page.tsx'), 'ReservationsPage'),
  ),
  page(
    '/scans',
    lazyRouteComponent(() => import('./discovery/scans-page.tsx'), 'ScansPage'),
  ),
  page(
    '/scans/$id',
    lazyRouteComponent(() => import('./discovery/scan-page.tsx'), 'ScanPage'),
  ),
  page(
    '/found',
    lazyRouteComponent(() => import('./discovery/discovered-devices-page.tsx'), 'DiscoveredDevicesPage'),
  ),
  page(
    '/inbox',
    lazyRouteComponent(() => import('./discovery/inbox-page.tsx'), 'InboxPage'),
  ),
  page(
    '/rules',
    lazyRouteComponent(() => import('./discovery/rules-page.tsx'), 'RulesPage'),
  ),
  page(
    '/users',
    lazyRouteComponent(() => import('./access/users-page.tsx'), 'UsersPage'),
  ),
  page(
    '/users/$id',
    lazyRouteComponent(() => import('./access/user-page.tsx'), 'UserPage'),
  ),
  page(
    '/roles',
    lazyRouteComponent(() => import('./access/roles-page.tsx'), 'RolesPage'),
  ),
  page(
    '/roles/$id',
    lazyRouteComponent(() => import('./access/role-page.tsx'), 'RolePage'),
  ),
  page(
    '/keys',
    lazyRouteComponent(() => import('./access/keys-page.tsx'), 'KeysPage'),
  ),
  page(
    '/credentials',
    lazyRouteComponent(() => import('./access/credentials-page.tsx'), 'CredentialsPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    '/conflicts',
    lazyRouteComponent(() => import('./conflicts/conflicts-page.tsx'), 'ConflictsPage'),
  ),
  page(
    '/oauth',
    lazyRouteComponent(() => import('./oauth/clients-page.tsx'), 'ClientsPage'),
  ),
  page(
    '/connect',
    lazyRouteComponent(() => import('./connect/connect-page.tsx'), 'ConnectPage'),
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  ),
  page(
    '/webhooks/$id',
    lazyRouteComponent(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
  ),
  page(
    '/topology',
    lazyRouteComponent(() => import('./topology/topology-page.tsx'), 'TopologyPage'),
  ),
  page(
    '/import',
    lazyRouteComponent(() => import('./import/import-page.tsx'), 'ImportPage'),
  ),
  page('/devices', DevicesPage),
  page('/devices/$id', DevicePage),
] as const

/** A path without a page is a type error. */
type Unserved = Exclude<Path, (typeof pages)[number]['path']>
const all: Unserved extends never ? typeof pages : Unserved = pages

/** Other builds leave out the stories and their imports. */
const stories = __STORIES__
  ? [
      createRoute({
        getParentRoute: () => app,
        path: STORIES,
        component: lazyRouteComponent(() => import('./stories/stories-page.tsx'), 'StoriesPage'),
      }),
    ]
  : []

export const router = createRouter({
  routeTree: root.addChildren([login, consent, app.addChildren([...all, ...stories])]),
  parseSearch,
  stringifySearch,
  defaultPendingMs: 150,
  defaultPendingMinMs: 200,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 30_000,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
