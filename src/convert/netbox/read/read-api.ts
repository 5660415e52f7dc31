/** Reads a NetBox by its API, page by page. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import { AppError, invalidField } from '../../../contract/errors.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { JsonFile } from '../../json-file.ts'
import { getRouteKind } from './kinds.ts'
import type { NetboxSource } from './objects.ts'
import { RestReader } from './read-rest.ts'
import { API_ROUTES, NEEDED, STATUS_ROUTE, TYPE_FIELD_ROUTE, TYPE_ROUTE, toObjectRoute } from './routes.ts'

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
export const buildAuthorization = (token: string): string => `${token.startsWith('nbt_') ? 'Bearer' : 'Token'} ${token}`

const createUnreachableError = (route: string, message: string) =>
  new AppError('PROVIDER_UNREACHABLE', `${route} of the NetBox ${message}`)

type Page = { readonly count: number; readonly results: readonly unknown[] }

const parsePage = (route: string, body: Uint8Array): Page => {
  let page: unknown
  try {
    page = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new AppError('PROVIDER_UNREACHABLE', `${route} of the NetBox did not answer with JSON`, { cause: error })
  }
  if (!isRecord(page) || typeof page.count !== 'number' || !Array.isArray(page.results))
    throw createUnreachableError(route, 'did not answer with a list')
  return { count: page.count, results: page.results }
}

/** Returns the version that the status of a NetBox says. */
const parseVersion = (body: Uint8Array): string | undefined => {
  try {
    const status: unknown = JSON.parse(new TextDecoder().decode(body))
    const version = isRecord(status) ? status['netbox-version'] : undefined
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}

/** The slugs of types, which are a part of a path. */
const SLUG = /^[-\w]{1,100}$/

/** The number of objects of a route, and of the objects in a page. */
export type PageCounts = { readonly count: number; readonly found: number }
/** A page with objects that are kept after they were counted. */
type TakenPage = PageCounts & { readonly keep?: () => void }

/** Takes the body of a page. @throws AppError PROVIDER_UNREACHABLE for a body of another form */
export type TakePage = (route: string, body: Uint8Array) => TakenPage | Promise<TakenPage>

class ApiReader {
  readonly #fetchPage: FetchPage
  readonly #take: TakePage
  #objects = 0
  #bytes = 0

  constructor(fetchPage: FetchPage, take: TakePage) {
    this.#fetchPage = fetchPage
    this.#take = take
  }

  /** Reads by offset until all objects are there. The link `next` is often wrong behind a proxy. */
  async route(route: string, look?: (body: Uint8Array) => void): Promise<void> {
    const exclude = EXCLUDED.has(route) ? '&exclude=config_context' : ''
    for (let offset = 0; ; ) {
      const page = await this.#page(route, `/api/${route}/?limit=${PAGE}&offset=${offset}&ordering=id${exclude}`, look)
      if (!page) return
      offset += page.found
      if (offset >= page.count) return
      if (page.found === 0) throw createUnreachableError(route, `ended after ${offset} of ${page.count} objects`)
    }
  }

  /** Reads the types of the plugin and their objects, if the NetBox has it. */
  async plugin(): Promise<void> {
    const slugs: string[] = []
    await this.route(TYPE_ROUTE, (body) => {
      for (const type of parsePage(TYPE_ROUTE, body).results)
        if (isRecord(type) && typeof type.slug === 'string' && SLUG.test(type.slug)) slugs.push(type.slug)
    })
    if (slugs.length === 0) return
    await this.route(TYPE_FIELD_ROUTE)
    for (const slug of slugs) await this.route(toObjectRoute(slug))
  }

  /** Returns undefined for a route that this version does not have. */
  async #page(route: string, path: string, look?: (body: Uint8Array) => void): Promise<PageCounts | undefined> {
    const { status, body } = await this.#fetchPage(path)
    if (status === 401 || status === 403)
      throw invalidField('token', `may not read ${route}: the NetBox answered with status ${status}`)
    if (status === 404 && !NEEDED.has(route)) return undefined
    if (status !== 200) throw createUnreachableError(route, `answered with status ${status}`)
    const page = await this.#take(route, body)
    look?.(body)
    this.#objects += page.found
    this.#bytes += body.length
    if (this.#objects > MAX_OBJECTS || this.#bytes > MAX_BYTES)
      throw createUnreachableError(route, 'has more objects than are read')
    page.keep?.()
    return page
  }
}

/**
 * Reads all pages of a NetBox, in an order that only the answers decide.
 *
 * @throws AppError VALIDATION_ERROR on `token`, or PROVIDER_UNREACHABLE
 */
export const readPages = async (
  fetchPage: FetchPage,
  take: TakePage,
  onVersion?: (version: string | undefined) => void,
): Promise<void> => {
  const { status, body } = await fetchPage(`/api/${STATUS_ROUTE}/`)
  onVersion?.(status === 200 ? parseVersion(body) : undefined)
  const api = new ApiReader(fetchPage, take)
  for (const route of API_ROUTES) await api.route(route)
  await api.plugin()
}

/**
 * Reads all objects of a NetBox.
 *
 * @throws AppError as `readPages`
 */
export const readNetboxApi = async (fetchPage: FetchPage): Promise<NetboxSource> => {
  const reader = new RestReader()
  let found: string | undefined
  await readPages(
    fetchPage,
    (route, body) => {
      const { count, results } = parsePage(route, body)
      const kind = getRouteKind(route)
      const keep = () => {
        for (const object of results) reader.add(kind, object)
      }
      return { count, found: results.length, keep }
    },
    (version) => {
      found = version
    },
  )
  return { ...reader.source(), ...(found !== undefined && { version: found }) }
}

/**
 * Counts the objects of a page without a copy of them, and yields to other requests. A page of another form is found where its
 * objects are read.
 *
 * @throws AppError PROVIDER_UNREACHABLE
 */
export const countPage = async (route: string, body: Uint8Array): Promise<PageCounts> => {
  const file = new JsonFile(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  const breathe = createBreathe()
  let count: number | undefined
  let found: number | undefined
  try {
    if (!file.isObject(file.start)) throw createUnreachableError(route, 'did not answer with a list')
    for (const { key, at } of file.members(file.start)) {
      if (key === 'count') count = Number(file.value(at))
      if (key === 'results' && file.isArray(at)) {
        found = 0
        for (const _ of file.elements(at)) {
          found++
          await breathe()
        }
      }
      if (count !== undefined && found !== undefined) return { count, found }
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'PROVIDER_UNREACHABLE') throw error
    throw new AppError('PROVIDER_UNREACHABLE', `${route} of the NetBox did not answer with JSON`, { cause: error })
  }
  throw createUnreachableError(route, 'did not answer with a list')
}
