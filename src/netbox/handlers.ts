/** The handlers of the endpoints, by the names of their routes. */

import type { RawMethod } from '../kernel/http-route.ts'
import { respondJson } from './door/answers.ts'
import type { Handle } from './door/call.ts'
import { declareRoute } from './door/route.ts'
import { PARENT_PATHS, PREFIXES_PATH, toAddressesPath } from './endpoint/available.ts'
import { EMPTY } from './endpoint/declared.ts'
import type { RunOperation } from './endpoint/draft.ts'
import type { Endpoint } from './endpoint/endpoint.ts'
import { createFreeList, createIpAllocation } from './endpoints/addresses/available-addresses.ts'
import { answerFreeBlocks, createAllocation } from './endpoints/ipam/available-prefixes.ts'
import { REGISTERED } from './endpoints/registry.ts'
import { answerList, answerOne } from './list/list.ts'
import { answerOptions } from './list/options.ts'
import { answerCreate, answerDelete, answerUpdate } from './write/write.ts'

const nameOf = (method: RawMethod, path: string): string => declareRoute({ method, path, access: 'authenticated' }).name

const answerNone: Handle = (_, call) => respondJson(call, { count: 0, next: null, previous: null, results: [] })

const listHandlers = <Item>(endpoint: Endpoint<Item>, run: RunOperation): [string, Handle][] => {
  const { path } = endpoint
  const one = `${path}/{id}`
  const update =
    (isWhole: boolean): Handle =>
    (ctx, call) =>
      answerUpdate(ctx, { call, endpoint, run }, isWhole)
  const remove: Handle = (_, call) => answerDelete({ call, endpoint, run })
  return [
    [nameOf('GET', path), (ctx, call) => answerList(ctx, call, endpoint)],
    [nameOf('GET', one), (ctx, call) => answerOne(ctx, call, endpoint)],
    [nameOf('OPTIONS', path), (ctx, call) => answerOptions(ctx, call, endpoint)],
    [nameOf('POST', path), (ctx, call) => answerCreate(ctx, { call, endpoint, run })],
    [nameOf('PUT', path), update(true)],
    [nameOf('PUT', one), update(true)],
    [nameOf('PATCH', path), update(false)],
    [nameOf('PATCH', one), update(false)],
    [nameOf('DELETE', path), remove],
    [nameOf('DELETE', one), remove],
  ]
}

export const createEndpointHandlers = (run: RunOperation): ReadonlyMap<string, Handle> =>
  new Map([
    ...REGISTERED.flatMap(({ use }) => use((endpoint) => listHandlers(endpoint, run))),
    [nameOf('GET', PREFIXES_PATH), answerFreeBlocks],
    [nameOf('POST', PREFIXES_PATH), createAllocation(run)],
    ...PARENT_PATHS.flatMap((path): [string, Handle][] => [
      [nameOf('GET', toAddressesPath(path)), createFreeList(path)],
      [nameOf('POST', toAddressesPath(path)), createIpAllocation(path, run)],
    ]),
    ...Object.keys(EMPTY).map((path) => [nameOf('GET', path), answerNone] as const),
  ])
