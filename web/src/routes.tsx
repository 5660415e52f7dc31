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
import { asOf } from './api/as-of.ts'
import { isCode } from './api/errors.ts'
import { meQuery, queryClient } from './api/queries.ts'
import { DevicePage } from './devices/device-page.tsx'
import { DevicesPage } from './devices/devices-page.tsx'
import { MOVED, PAGES, type Path, toComponentName } from './pages.ts'
import { CONSENT, LOGIN } from './paths.ts'
import { parseSearch, stringifySearch } from './search-text.ts'
import { PageLoading } from './shell/page-loading.tsx'
import { NotFoundPage, RouteFailure } from './shell/route-states.tsx'
import { Shell } from './shell/shell.tsx'
import { type ListSearch, listSearch } from './table/list-search.ts'

const root = createRootRoute({ component: Outlet })

const login = createRoute({
  getParentRoute: () => root,
  path: LOGIN,
  validateSearch: (
    search: Record<string, unknown>,
  ): { next?: string; expired?: string; sso_error?: string; setup?: string } => ({
    ...(typeof search.return_to === 'string' ? { next: search.return_to } : {}),
    ...(typeof search.next === 'string' ? { next: search.next } : {}),
    ...(typeof search.sso_error === 'string' ? { sso_error: search.sso_error } : {}),
    ...(typeof search.expired === 'string' ? { expired: search.expired } : {}),
    ...(typeof search.setup === 'string' ? { setup: search.setup } : {}),
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
  // Links keep the moment, unless they name another.
  search: { middlewares: [({ search, next }) => ({ as_of: search.as_of, ...next(search) })] },
  beforeLoad: async ({ location }) => {
    try {
      const me = await queryClient.ensureQueryData(meQuery)
      // Everything else is refused until then.
      if (me.second_factor_setup_required) throw redirect({ to: '/login', search: { next: location.href, setup: '1' } })
    } catch (error) {
      if (isCode(error, 'UNAUTHORIZED')) throw redirect({ to: '/login', search: { next: location.href } })
      throw error
    }
  },
  component: Shell,
  pendingComponent: PageLoading,
  errorComponent: RouteFailure,
})

/** Every other path. */
const unknown = createRoute({ getParentRoute: () => app, path: '$', component: NotFoundPage })

const createPage = <const P extends Path>(path: P, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => app,
    path,
    component,
    pendingComponent: PageLoading,
    errorComponent: RouteFailure,
  })

/** The most used pages are in the first file, with all shared code. */
const FIRST_PATHS = ['/devices', '/devices/$id'] as const
const FIRST = [createPage('/devices', DevicesPage), createPage('/devices/$id', DevicePage)] as const

/** Each of these is one file. More files would cost more in requests than they save in bytes. */
const FILES = import.meta.glob<Record<string, RouteComponent>>(['./**/*-page.tsx', '!./{devices,resource}/**'])

type LazyPath = Exclude<Path, (typeof FIRST_PATHS)[number]>
type RouteOf<P extends Path> = P extends Path ? ReturnType<typeof createPage<P>> : never

/** The list of a resource without a page of its own. */
const createDeclaredPage = (path: Path) =>
  createPage(
    path,
    lazyRouteComponent(async () => {
      const [{ DeclaredPage }, { RESOURCES }] = await Promise.all([
        import('./resource/declared-page.tsx'),
        import('../../src/inventory/resources.ts'),
      ])
      const facts = RESOURCES.find(({ name }) => path === `/${name}`)
      if (!facts) throw new Error(`pages.ts names no file for ${path}`)
      return { Page: () => <DeclaredPage facts={facts} /> }
    }, 'Page'),
  )

const createLazyPage = ([path, file]: [string, string]) => {
  const { [`./${file}.tsx`]: load } = FILES
  if (!load) return createDeclaredPage(path as Path)
  return createPage(path as Path, lazyRouteComponent(load, toComponentName(file)))
}

// `map` loses which path each page has.
const others = Object.entries(PAGES)
  .filter(([path]) => !(FIRST_PATHS as readonly string[]).includes(path))
  .map(createLazyPage) as unknown as readonly RouteOf<LazyPath>[]

const moved = Object.entries(MOVED).map(([path, to]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: () => {
      throw redirect({ to, search: true, hash: true, replace: true })
    },
  }),
)

export const router = createRouter({
  routeTree: root.addChildren([login, consent, ...moved, app.addChildren([...FIRST, ...others, unknown])]),
  parseSearch,
  stringifySearch,
  defaultPendingMs: 150,
  defaultPendingMinMs: 200,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 30_000,
})

router.subscribe('onBeforeNavigate', ({ toLocation: { search } }) => asOf.set((search as ListSearch).as_of))

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
