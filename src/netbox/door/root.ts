/** The lists of applications and of their endpoints, with their URLs. */
import type { RawRoute } from '../../kernel/operation.ts'
import { respondJson } from './answers.ts'
import type { Handle } from './call.ts'
import { API_PATH } from './route.ts'

/** Matches the routes of applications, and those beside them. */
const FIRST_LEVEL = new RegExp(`^GET ${API_PATH}/([^/{}]+)$`)

export const createRootHandler = (routes: readonly RawRoute[]): Handle => {
  const names = routes.flatMap(({ http }) => FIRST_LEVEL.exec(http)?.[1] ?? []).toSorted()
  return async (_ctx, call) => respondJson(call, Object.fromEntries(names.map((name) => [name, call.links.api(name)])))
}

export const createApplicationHandler =
  (application: string, endpoints: readonly string[]): Handle =>
  async (_ctx, call) => {
    const named = endpoints.map((name) => [name, call.links.api(`${application}/${name}`)])
    return respondJson(call, Object.fromEntries(named))
  }
