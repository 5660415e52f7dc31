/** Counts the rows of a view on the server, where the API knows every term of its filter. */
import { commands } from 'virtual:commands'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { send } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import { listCall, listNamedResources } from '../commands/list-call.ts'
import { buildObjectsQuery } from '../resource/facts/lists.ts'
import { RESOURCE_NAMES } from '../resource/facts/names.ts'
import { parseSearch } from '../search-text.ts'

/** Lists with another route than the path of their page. */
const ROUTES: Readonly<Record<string, string>> = {
  '/discovered-devices': '/api/discovery',
  '/dns': '/api/dns/zones',
  '/rules': '/api/discovery/rules',
  '/sso-providers': '/api/sso/providers',
}

/** The parameters of a page that do not change which rows it shows. */
const SHAPE = new Set(['q', 'sort', 'desc', 'cols', 'view'])

/** The path of the list of a kind. */
const OF_KIND = /^\/kinds\/(.+)$/

type Operations = Readonly<Record<string, AnyOperation>>

const findList = (path: string): Operations | undefined => {
  const route = `GET ${OF_KIND.test(path) ? '/api/objects' : (ROUTES[path] ?? `/api${path}`)}`
  return Object.values<Operations>(contracts).find(({ list }) => list?.http === route)
}

/** Loads the objects that the filter may name, for their ids. */
const loadNamed = async (named: readonly string[]): Promise<void> => {
  for (const name of RESOURCE_NAMES)
    if (named.includes(name)) await queryClient.ensureQueryData(buildObjectsQuery(name))
}

/** Returns the number of rows; null where the API cannot count them. */
export const countView = async ({ path, search }: { readonly path: string; readonly search: string }) => {
  const { q = '', ...rest } = parseSearch(search)
  const operations = findList(path)
  if (!operations?.list || Object.keys(rest).some((name) => !SHAPE.has(name))) return null
  const [, kindId] = OF_KIND.exec(path) ?? []
  const asked = { list: operations, q, given: kindId === undefined ? {} : { kind_id: kindId } }
  await loadNamed(listNamedResources(asked))
  const { op, input, leftOut = [] } = listCall(asked)
  if (leftOut.length > 0 || commands[op.http]?.fields.limit === undefined) return null
  const total = (await send(op, { ...input, limit: 1 })).headers.get('x-total-count')
  return total === null ? null : Number(total)
}
