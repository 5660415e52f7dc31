/** The parts of an operation's route. Separate from the declarations, because a browser does not load their schemas. */

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Http = `${Method} /${string}`

/** The methods of raw routes: the API of another program may have more than Plat's own. */
export type RawMethod = Method | 'PATCH' | 'OPTIONS'
export type RawHttp = `${RawMethod} /${string}`

export type HttpParts<M extends RawMethod = RawMethod> = {
  readonly method: M
  readonly path: string
  readonly params: readonly string[]
}

/** @example parseHttp('GET /api/devices/{id}') // { method: 'GET', path: '/api/devices/{id}', params: ['id'] } */
export const parseHttp = <M extends RawMethod>(http: `${M} /${string}`): HttpParts<M> => {
  const at = http.indexOf(' ')
  const path = http.slice(at + 1)
  // The type of `http` guarantees that the part before the blank is a method.
  const method = http.slice(0, at) as M
  return { method, path, params: [...path.matchAll(/\{(\w+)\}/g)].flatMap((m) => (m[1] ? [m[1]] : [])) }
}

/** Returns true if input outside the path travels in the query string; false if it travels in a body. */
export const takesQuery = (method: RawMethod): boolean => method === 'GET' || method === 'DELETE'
