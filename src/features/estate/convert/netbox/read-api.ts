/** Reads a NetBox by its API, page by page. */
import { AppError, invalidField } from '../../../../platform/contract/errors.ts'
import { kindOfRoute } from './kinds.ts'
import { isRecord, type NetboxSource } from './objects.ts'
import { RestReader } from './read-rest.ts'
import { API_ROUTES, NEEDED } from './routes.ts'

const PAGE = 1000
/** The most objects and bytes that are read, so that an endless answer ends. */
const MAX_OBJECTS = 2_000_000
const MAX_BYTES = 1024 ** 3

/** The context of a device is computed for each, which takes long. */
const EXCLUDED = new Set(['dcim/devices', 'virtualization/virtual-machines'])

export type PageAnswer = { readonly status: number; readonly body: Uint8Array }

/** Fetches a path below the address of the NetBox, as `/api/dcim/sites/?limit=1000`. */
export type FetchPage = (path: string) => Promise<PageAnswer>

/** Returns the header Authorization of a token: version 2 tokens have a prefix. */
export const authorizationOf = (token: string): string => `${token.startsWith('nbt_') ? 'Bearer' : 'Token'} ${token}`

const unreachable = (route: string, message: string) =>
  new AppError('PROVIDER_UNREACHABLE', `${route} of the NetBox ${message}`)

type Page = { readonly count: number; readonly results: readonly unknown[] }

const pageOf = (route: string, body: Uint8Array): Page => {
  let page: unknown
  try {
    page = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new AppError('PROVIDER_UNREACHABLE', `${route} of the NetBox did not answer with JSON`, { cause: error })
  }
  if (!isRecord(page) || typeof page.count !== 'number' || !Array.isArray(page.results))
    throw unreachable(route, 'did not answer with a list')
  return { count: page.count, results: page.results }
}

class ApiReader {
  readonly reader = new RestReader()
  readonly #fetchPage: FetchPage
  #objects = 0
  #bytes = 0

  constructor(fetchPage: FetchPage) {
    this.#fetchPage = fetchPage
  }

  /** Reads by offset until all objects are there. The link `next` is often wrong behind a proxy. */
  async route(route: string): Promise<void> {
    const kind = kindOfRoute(route)
    const exclude = EXCLUDED.has(route) ? '&exclude=config_context' : ''
    for (let offset = 0; ; ) {
      const page = await this.#page(route, `/api/${route}/?limit=${PAGE}&offset=${offset}&ordering=id${exclude}`)
      if (!page) return
      for (const object of page.results) this.reader.add(kind, object)
      offset += page.results.length
      if (offset >= page.count) return
      if (page.results.length === 0) throw unreachable(route, `ended after ${offset} of ${page.count} objects`)
    }
  }

  /** Returns undefined for a route that this version does not have. */
  async #page(route: string, path: string): Promise<Page | undefined> {
    const { status, body } = await this.#fetchPage(path)
    if (status === 401 || status === 403)
      throw invalidField('token', `may not read ${route}: the NetBox answered with status ${status}`)
    if (status === 404 && !NEEDED.has(route)) return undefined
    if (status !== 200) throw unreachable(route, `answered with status ${status}`)
    const page = pageOf(route, body)
    this.#objects += page.results.length
    this.#bytes += body.length
    if (this.#objects > MAX_OBJECTS || this.#bytes > MAX_BYTES)
      throw unreachable(route, 'has more objects than are read')
    return page
  }
}

/**
 * Reads all objects of a NetBox.
 *
 * @throws AppError VALIDATION_ERROR on `token`, or PROVIDER_UNREACHABLE
 */
export const readNetboxApi = async (fetchPage: FetchPage): Promise<NetboxSource> => {
  const api = new ApiReader(fetchPage)
  for (const route of API_ROUTES) await api.route(route)
  return api.reader.source()
}
