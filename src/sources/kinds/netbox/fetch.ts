/**
 * Reads the pages of a NetBox. The snapshot has them as texts, which take less memory than their values. A route that the NetBox lists
 * must answer: without its answer, the objects would seem to be gone.
 */
import { z } from 'zod'
import { AppError } from '../../../contract/errors.ts'
import { PLUGIN } from '../../../convert/netbox/read/kinds.ts'
import { buildAuthorization, countPage, type FetchPage, readPages } from '../../../convert/netbox/read/read-api.ts'
import { API_ROUTES, NEEDED } from '../../../convert/netbox/read/routes.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { parseAnswer } from '../parse.ts'
import type { FetchMeans, Json } from '../source-kind.ts'
import type { Snapshot } from './snapshot.ts'

const TOKEN = /^[\x21-\x7e]{1,255}$/
const Status = z.looseObject({
  'netbox-version': z.string().min(1),
  plugins: z.record(z.string(), z.unknown()).optional(),
})
type Status = z.output<typeof Status>
/** The URLs of endpoints by their names. */
const Listing = z.record(z.string(), z.string())

/** Asks a path below `/api`, which the URL of a source may have. */
type AskApi = {
  readonly json: (path: string) => Promise<unknown>
  readonly page: (path: string) => Promise<{ readonly status: number; readonly body: Uint8Array }>
}

/** @throws FetchError `unauthorized` for a text that is no token */
const createAskApi = ({ ask, url, secrets }: FetchMeans): AskApi => {
  const token = (secrets.token ?? '').trim()
  if (!TOKEN.test(token)) throw new FetchError('unauthorized', 'secrets.token must be 1-255 visible ASCII characters')
  const headers = { Accept: 'application/json', Authorization: buildAuthorization(token) }
  const base = url.endsWith('/api') ? '' : '/api'
  return { json: (path) => ask.json(base + path, { headers }), page: (path) => ask(base + path, { headers }) }
}

const askStatus = async (api: AskApi, product: FetchMeans['product']): Promise<Status> => {
  const status = Status.safeParse(await api.json('/status/'))
  if (!status.success) throw new FetchError('wrong_url', '/api/status/ is not answered by a NetBox: check the url')
  product(`NetBox ${status.data['netbox-version']}`)
  return status.data
}

/** Returns the routes that this NetBox has. @throws FetchError `wrong_url` without the routes of every NetBox */
const listRoutes = async (api: AskApi): Promise<ReadonlySet<string>> => {
  const applications = new Set(API_ROUTES.map((route) => route.slice(0, route.indexOf('/'))))
  const root = parseAnswer(Listing, '/api/', await api.json('/'))
  const routes = new Set<string>()
  for (const application of applications) {
    if (!Object.hasOwn(root, application)) continue
    const path = `/${application}/`
    const listing = parseAnswer(Listing, `/api${path}`, await api.json(path))
    for (const name of Object.keys(listing)) routes.add(`${application}/${name}`)
  }
  const missing = [...NEEDED].filter((route) => !routes.has(route))
  if (missing.length > 0)
    throw new FetchError('wrong_url', `the NetBox does not list ${missing.join(', ')}: check the url`)
  return routes
}

const decode = (path: string, body: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw new FetchError('bad_answer', `${path} did not answer with UTF-8`, undefined, { cause: error })
  }
}

/** @example getRoute('/api/dcim/sites/?limit=1000') // 'dcim/sites' */
const getRoute = (path: string): string => /^\/api\/([^?]*)\/(?:\?|$)/.exec(path)?.[1] ?? ''

export const testNetbox = async (means: FetchMeans): Promise<void> => {
  await askStatus(createAskApi(means), means.product)
}

export const fetchNetbox = async (means: FetchMeans): Promise<Json> => {
  const api = createAskApi(means)
  const status = await askStatus(api, means.product)
  const routes = await listRoutes(api)
  const hasPlugin = Object.hasOwn(status.plugins ?? {}, PLUGIN)
  const askPage: FetchPage = async (path) => {
    const route = getRoute(path)
    if (route === 'status') return { status: 200, body: new TextEncoder().encode(JSON.stringify(status)) }
    const isThere = route.startsWith('plugins/') ? hasPlugin : routes.has(route)
    return isThere ? await api.page(path.slice('/api'.length)) : { status: 404, body: new Uint8Array() }
  }
  const pages: Snapshot['pages'] = []
  try {
    await readPages(async (path) => {
      const page = await askPage(path)
      pages.push({ status: page.status, text: decode(path, page.body) })
      return page
    }, countPage)
  } catch (error) {
    // An answer of another form is an error of `estate.pull`.
    if (error instanceof AppError) throw new FetchError('bad_answer', error.message, undefined, { cause: error })
    throw error
  }
  return { pages } satisfies Snapshot
}
