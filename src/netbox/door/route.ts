/** Declares the routes of the NetBox API. Browser-safe: handlers are bound in `netbox.ts`. */
import type { RawMethod } from '../../kernel/http-route.ts'
import type { Access, Audited, RawRoute } from '../../kernel/operation.ts'

/** The path below which all routes are. A host of NETBOX_API_HOSTS has the same routes below `/api`. */
export const BASE_PATH = '/netbox'
export const API_PATH = `${BASE_PATH}/api` as const

export type Declared = {
  readonly method: RawMethod
  /** The path below the API without a slash at its ends. @example 'dcim/devices/{id}' */
  readonly path: string
  readonly access: Access
  readonly scope?: 'filter' | 'filterEach' | 'checkWrite'
  readonly shows?: readonly string[]
  readonly audit?: Audited
  /** Streams its answer, so it has no deadline. */
  readonly isLong?: true
  readonly summary?: string
}

/** @example buildPath('dcim/devices') // '/netbox/api/dcim/devices' */
const buildPath = (path: string): `/${string}` => (path === '' ? API_PATH : `${API_PATH}/${path}`)

/** @example buildName('GET', 'dcim/devices/{id}') // 'netbox.get-dcim-devices-id' */
const buildName = (method: RawMethod, path: string): string =>
  `netbox.${[method.toLowerCase(), ...path.split('/').filter((segment) => segment !== '')].join('-').replace(/[{}]/g, '')}`

export const declareRoute = ({ method, path, summary, ...rest }: Declared): RawRoute => ({
  name: buildName(method, path),
  summary: summary ?? `${method} ${path} of the NetBox API`,
  http: `${method} ${buildPath(path)}`,
  bearerOnly: true,
  ownDocument: true,
  ...rest,
})
