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
import { type FIRST_PATHS, PAGES, type Path } from './pages.ts'
import { CONSENT, LOGIN, STORIES } from './paths.ts'
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

const first = [page('/', OverviewPage), page('/devices', DevicesPage), page('/devices/$id', DevicePage)] as const

/** A path without a page is a type error. */
type Unserved = Exclude<(typeof FIRST_PATHS)[number], (typeof first)[number]['path']>
const all: Unserved extends never ? typeof first : Unserved = first

type RoutesOf<Pages extends readonly { readonly path: Path }[]> = {
  readonly [I in keyof Pages]: ReturnType<typeof page<Pages[I]['path']>>
}

const lazyPage = ({ path, load, name }: (typeof PAGES)[number]) =>
  // Each module has the component of its name; the compiler does not relate the members of the union.
  page(path, lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name))

// `map` loses the path of each page.
const others = PAGES.map(lazyPage) as unknown as RoutesOf<typeof PAGES>

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
  routeTree: root.addChildren([login, consent, app.addChildren([...all, ...others, ...stories])]),
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
