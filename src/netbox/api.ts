/** The routes of the NetBox API. Browser-safe. */
import { z } from 'zod'
import { type RawRoute, rawRoute } from '../kernel/operation.ts'
import { API_PATH, type Declared, declareRoute } from './door/route.ts'
import { AVAILABLE_ROUTES } from './endpoint/available.ts'
import { ENDPOINT_ROUTES } from './endpoint/routes.ts'

const DECLARED: readonly Declared[] = [
  {
    method: 'GET',
    path: 'status',
    access: 'authenticated',
    summary: 'Show the versions of the NetBox API and of Plat',
  },
  ...ENDPOINT_ROUTES,
  ...AVAILABLE_ROUTES,
]

const declared = DECLARED.map(declareRoute)

/** Matches the routes of lists. */
const LIST = new RegExp(`^GET ${API_PATH}/([^/{}]+)/([^/{}]+)$`)

const listings = declared.flatMap(({ http }) => {
  const [, application, endpoint] = LIST.exec(http) ?? []
  return application !== undefined && endpoint !== undefined ? [{ application, endpoint }] : []
})

/** The endpoints of each application. @example new Map([['dcim', ['devices', 'sites']]]) */
export const ENDPOINTS: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(listings, ({ application }) => application)].map(([application, some]) => [
    application,
    some.map(({ endpoint }) => endpoint).toSorted(),
  ]),
)

const applications = [...ENDPOINTS.keys()].map((path) =>
  declareRoute({ method: 'GET', path, access: 'authenticated', summary: `List the endpoints of ${path}` }),
)

const root = declareRoute({
  ...{ method: 'GET', path: '', access: 'authenticated', summary: 'List the applications of the NetBox API' },
})

/** The routes that the document of the NetBox API describes. */
export const describedRoutes: readonly RawRoute[] = [root, ...applications, ...declared]

/** The document itself, which the document of Plat names in place of them. */
const schema = rawRoute({
  name: 'netbox.get-schema',
  summary: 'Return the OpenAPI document of the NetBox API',
  http: `GET ${API_PATH}/schema`,
  access: 'authenticated',
  bearerOnly: true,
  query: z.object({ format: z.string().optional().describe('Ignored: the document is JSON') }),
  produces: 'application/json',
  errors: [403],
  refusal: z.looseObject({ detail: z.string().optional() }),
})

export const netboxRoutes: readonly RawRoute[] = [...describedRoutes, schema]
