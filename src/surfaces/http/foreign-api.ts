/** Finds the foreign API that a request is for: by the beginning of its path, or by its host. */
import type { ForeignApi } from '../../kernel/context.ts'
import { createHostMatcher } from './request-host.ts'

export type Entry = {
  readonly api: ForeignApi
  /** The path of the route. Empty for a path that the API does not have at its own host. */
  readonly path: string
  readonly isAtHost: boolean
}

export type FindApi = (path: string, headers: Headers) => Entry | undefined

/** Paths of this instance at every host. */
const HEALTH_CHECKS = new Set(['/healthz', '/readyz'])

/** Returns the path without a slash at its end; undefined unless it is `base` or below it. */
const enter = (path: string, base: string): string | undefined => {
  if (!path.startsWith(base)) return undefined
  const rest = path.endsWith('/') ? path.slice(base.length, -1) : path.slice(base.length)
  return rest === '' || rest.startsWith('/') ? rest : undefined
}

export const createApiFinder = (apis: readonly ForeignApi[]): FindApi => {
  const known = apis.map((api) => ({ api, isAtHost: createHostMatcher(api.hosts) }))
  return (path, headers) => {
    for (const { api, isAtHost } of known) {
      if (isAtHost?.(headers)) {
        if (HEALTH_CHECKS.has(path)) return undefined
        const rest = enter(path, api.hostPath)
        return { api, path: rest === undefined ? '' : api.path + rest, isAtHost: true }
      }
      const rest = enter(path, api.path)
      if (rest !== undefined) return { api, path: api.path + rest, isAtHost: false }
    }
    return undefined
  }
}
