/** The OpenAPI document of the NetBox API, made from the declarations of its endpoints. */
import { parseHttp } from '../../kernel/http-route.ts'
import type { RawRoute } from '../../kernel/operation.ts'
import { respondJsonText } from '../door/answers.ts'
import type { Handle } from '../door/call.ts'
import { API_PATH } from '../door/route.ts'
import { NETBOX_VERSION } from '../door/status.ts'
import { REGISTERED } from '../endpoints/registry.ts'
import { describeEndpoint, ERROR, nameEndpoints, type Schema } from './components.ts'
import { describeOther, describeRoute } from './operations.ts'

/** Returns the paths with their operations. @param base such as `/netbox/api/` */
const describePaths = (routes: readonly RawRoute[], base: string, names: ReturnType<typeof nameEndpoints>): Schema => {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes) {
    const { method, path } = parseHttp(route.http)
    // The document names no method that describes methods.
    if (method === 'OPTIONS') continue
    const own = path.slice(API_PATH.length + 1)
    const endpoint = REGISTERED.find((one) => own === one.path || own === `${one.path}/{id}`)
    const described = endpoint
      ? endpoint.use((declared) => describeRoute(route, own, declared, names))
      : describeOther(route, own)
    const key = own === '' ? base : `${base}${own}/`
    paths[key] = { ...paths[key], [method.toLowerCase()]: described }
  }
  return paths
}

const buildDocument = (routes: readonly RawRoute[], base: string): Schema => {
  const names = nameEndpoints(
    REGISTERED.map(({ use }) => use(({ path, kind, nested }) => ({ path, kind, ...(nested && { nested }) }))),
  )
  const schemas = REGISTERED.map(({ use }) => use((endpoint) => describeEndpoint(endpoint, names)))
  return {
    openapi: '3.0.3',
    info: { title: 'NetBox REST API', version: NETBOX_VERSION },
    paths: describePaths(routes, base, names),
    components: {
      schemas: Object.assign({ Error: ERROR }, ...schemas),
      securitySchemes: { tokenAuth: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    },
  }
}

/** The texts by the paths of the API: below its base path, and at the root of a host of its own. */
const createDocuments = (routes: readonly RawRoute[]): ((base: string) => string) => {
  const made = new Map<string, string>()
  return (base) => {
    const known = made.get(base) ?? JSON.stringify(buildDocument(routes, base))
    made.set(base, known)
    return known
  }
}

export const createSchemaHandler = (routes: readonly RawRoute[]): Handle => {
  const build = createDocuments(routes)
  return (_, call) => respondJsonText(call, build(new URL(call.links.api('')).pathname))
}
