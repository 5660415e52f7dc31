/** The devices as the page sees them: a worker that holds them all, started when they are first needed. */

import type { AppError } from '../../../../src/contract/errors.ts'
import { buildError } from '../../../../src/surfaces/cli/connection/client.ts'
import { asOf, keepMoment } from '../../api/as-of.ts'
import { isOwnDoing, noteAnswer, noteFailure } from '../../api/connection.ts'
import type { Device } from '../../api/contracts.ts'
import { createStore } from '../../api/store.ts'
import { startWorker } from '../../api/trusted-worker.ts'
import type { Definition } from '../../custom-fields/values.ts'
import { isFollowed } from '../../live/feed.ts'
import { markFresh } from '../../live/fresh.ts'
import type { TableQuery } from '../../table/engine.ts'
import type { Facets } from '../../table/filter.ts'
import { drafts } from '../../ui/drafts.ts'
import type { DeviceRow } from '../column-spec.ts'
import type { Brief, Called, WorkerRequest, WorkerResponse } from './messages.ts'
import type { WindowedState } from './windowed-state.ts'

/** Under which the ids of the last import are kept, for as long as the tab is open. */
const MARKED = 'imported-devices'

export type DevicesState = {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  readonly total: number
  readonly version: number
  readonly loadedAtMs: number
  readonly error: AppError | undefined
  /** There are more than the browser holds. */
  readonly isMany: boolean
}

export type Preview = { readonly total: number; readonly devices: readonly Device[] }

export type DeviceResult = {
  readonly order: Uint32Array
  readonly total: number
  readonly version: number
  readonly windowed?: WindowedState | undefined
}

type ManyRows = typeof import('./windowed-table.tsx')

/** How old the rows may be before a look at the page asks again. */
const FRESH_MS = 60_000
/** How long the rows are kept when no page shows them. */
const KEPT_MS = 10 * 60_000
const MOST_CACHED = 20_000
/** The number of rows in windows that the worker keeps. */
const MOST_WINDOWED = 4000
/** The most devices that the browser holds, as the server has written it into the page. */
export const MAX_ROWS = Number(document.documentElement.dataset.maxRows ?? Number.POSITIVE_INFINITY)

const IDLE: DevicesState = { status: 'idle', total: 0, version: 0, loadedAtMs: 0, error: undefined, isMany: false }
const state = createStore(IDLE)
/** The first rows in the order of their names, until all are here. */
const preview = createStore<Preview | undefined>(undefined)
/** The code for more devices than the browser holds, once there are. */
const many = createStore<ManyRows | undefined>(undefined)
/** Counts up whenever rows arrived that a window waits for. */
const arrivals = createStore(0)

let worker: Worker | undefined
let seq = 0
let names: WorkerRequest & { type: 'names' } = { type: 'names', names: [], datacenters: [] }
let custom: WorkerRequest | undefined
const waiting = new Map<number, (message: WorkerResponse) => void>()
const cache = new Map<number, DeviceRow>()
const requested = new Set<number>()

const post = (ask: WorkerRequest): void => {
  worker?.postMessage(ask)
}

const start = (): void => {
  if (worker) return
  worker = startWorker('devices')
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerResponse>) => onMessage(data))
  // Its script did not come.
  worker.addEventListener('error', () => onMessage(NO_ANSWER))
  post(names)
  if (custom) post(custom)
  const ids = drafts.get<readonly string[]>(MARKED)
  if (ids) post({ type: 'mark', seq: ++seq, rows: ids.map((id) => ({ id })) })
}

/** Rows of another version are kept until there are new ones, so that nothing blinks. */
let cachedVersion = 0

const keep = (version: number, rows: readonly (readonly [number, DeviceRow])[]): void => {
  if (version !== state.get().version) return
  if (cache.size > MOST_CACHED || version !== cachedVersion) {
    cache.clear()
    requested.clear()
  }
  cachedVersion = version
  for (const [index, row] of rows) {
    // The same row stays the same object, so that it is not drawn again.
    if (!cache.has(index)) cache.set(index, row)
    requested.delete(index)
  }
  if (!state.get().isMany) return
  for (const index of cache.keys()) {
    if (cache.size <= MOST_WINDOWED) break
    cache.delete(index)
  }
}

/** Calls the function once the code for many devices is there, if it is needed. */
const withMany = (isNeeded: boolean, then: () => void): void => {
  if (!isNeeded || many.get()) {
    then()
    return
  }
  import('./windowed-table.tsx')
    .then((module) => {
      many.set(module)
      then()
    })
    .catch(() => onMessage(NO_ANSWER))
}

const NO_ANSWER: WorkerResponse = { type: 'failed', status: 0, body: undefined, retryAfter: null }

const handleFailure = ({ status, body, retryAfter }: WorkerResponse & { type: 'failed' }): void => {
  const error = buildError(status, body, 'The server')
  if (status === 0) noteFailure()
  else {
    const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
    noteAnswer('/api/devices', new Response(null, { status, ...(headers ? { headers } : {}) }))
  }
  const { total } = state.get()
  state.set({ ...state.get(), status: total > 0 ? 'ready' : 'failed', error })
}

const onMessage = (message: WorkerResponse): void => {
  if (message.type === 'preview') {
    withMany(message.total > MAX_ROWS, () => {
      if (state.get().status !== 'ready') preview.set(message)
      // The frame after the next has them.
      requestAnimationFrame(() => setTimeout(() => post({ type: 'drawn' })))
    })
    return
  }
  if (message.type === 'changed') {
    const { total, version, loadedAtMs, isMany } = message
    withMany(isMany, () => state.set({ status: 'ready', total, version, loadedAtMs, isMany, error: undefined }))
    return
  }
  if (message.type === 'off') {
    waiting.delete(message.seq)
    return
  }
  if (message.type === 'heard') {
    if (!isOwnDoing()) markFresh(message.ids)
    return
  }
  if (message.type === 'current') {
    state.set({ ...state.get(), status: 'ready', loadedAtMs: message.loadedAtMs, error: undefined })
    return
  }
  if (message.type === 'failed') {
    handleFailure(message)
    return
  }
  if (message.type === 'result' || message.type === 'rows') keep(message.version, message.rows)
  if (message.type === 'rows') arrivals.set(arrivals.get() + 1)
  waiting.get(message.seq)?.(message)
  waiting.delete(message.seq)
}

/** Asks the worker, and hands on the answer of the kind that belongs to the question. */
const request = <T extends WorkerResponse['type']>(
  type: T,
  question: WorkerRequest & { seq: number },
): Promise<WorkerResponse & { type: T }> =>
  new Promise((resolve) => {
    waiting.set(question.seq, (message) => {
      // An answer has the kind of its question.
      if (message.type === type) resolve(message as WorkerResponse & { type: T })
    })
    post(question)
  })

const requestResult = async (query: TableQuery, from: number): Promise<DeviceResult> => {
  const { order, total, version, windowed } = await request('result', { type: 'query', seq: ++seq, query, from })
  return { order, total, version, windowed }
}

let begun: { readonly query: TableQuery; readonly version: number; readonly answer: Promise<DeviceResult> } | undefined

const isSame = (a: TableQuery, b: TableQuery): boolean =>
  a.q === b.q && a.sort === b.sort && a.isDescending === b.isDescending

let users = 0
let dropTimer: ReturnType<typeof setTimeout> | undefined

const load = (isShown = true): void => {
  start()
  const { status } = state.get()
  if (status === 'idle' || status === 'failed') state.set({ ...state.get(), status: 'loading', error: undefined })
  post({ type: 'load', isShown, path: keepMoment('/api/devices'), maxRows: MAX_ROWS })
}

const reset = (): void => {
  worker?.terminate()
  worker = undefined
  waiting.clear()
  cache.clear()
  requested.clear()
  preview.set(undefined)
  state.set(IDLE)
}

// The rows of another moment are others.
asOf.subscribe(reset)

const refreshIfOld = (isShown = true): void => {
  const { status, loadedAtMs } = state.get()
  if (status !== 'ready') load(isShown)
  // While the live feed is connected, the rows are current.
  else if (isFollowed()) return
  else if (document.visibilityState === 'visible' && Date.now() - loadedAtMs > FRESH_MS) load()
}

const lookAgain = (): void => refreshIfOld()

export const devices = {
  state,
  preview,
  /** `id -> name` of the datacenters, as far as they are known. */
  names: (): ReadonlyMap<string, string> => new Map(names.names),
  arrivals,
  many,
  load: (): void => load(),
  forget: reset,
  /** Keeps the rows, and keeps them fresh, until the returned function is called. `isShown` is false where no row is. */
  use: (isShown = true): (() => void) => {
    users++
    clearTimeout(dropTimer)
    refreshIfOld(isShown)
    document.addEventListener('visibilitychange', lookAgain)
    return () => {
      users--
      document.removeEventListener('visibilitychange', lookAgain)
      if (users === 0) dropTimer = setTimeout(reset, KEPT_MS)
    }
  },
  /** @param places the ids of the datacenters */
  setNames: (entries: readonly (readonly [string, string])[], places: readonly string[]): void => {
    if (JSON.stringify(entries) === JSON.stringify(names.names)) return
    names = { type: 'names', names: entries, datacenters: places }
    post(names)
  },
  setCustom: (definitions: readonly Definition[], refNames: readonly (readonly [string, string])[]): void => {
    custom = { type: 'custom', definitions, names: refNames }
    post(custom)
  },
  /** Starts the next `query` early: the worker searches while the page draws the key. */
  ahead: (query: TableQuery): void => {
    begun = { query, version: state.get().version, answer: requestResult(query, 0) }
  },
  /** `from` is the first row that is shown: it comes along. */
  query: (query: TableQuery, from: number): Promise<DeviceResult> => {
    const early = begun
    begun = undefined
    const isIt = early?.version === state.get().version && isSame(early.query, query)
    return isIt ? early.answer : requestResult(query, from)
  },
  whenReady: (): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (state.get().status !== 'ready') return
        end()
        resolve()
      }
      const end = state.subscribe(look)
      look()
    }),
  row: (index: number): DeviceRow | undefined => cache.get(index),
  ensure: (indices: readonly number[]): void => {
    if (cachedVersion !== state.get().version) return
    const missing = indices.filter((index) => !cache.has(index) && !requested.has(index))
    if (missing.length === 0) return
    for (const index of missing) requested.add(index)
    post({ type: 'rows', seq: ++seq, indices: missing })
  },
  /** Like `ensure`, for a windowed table. */
  ensurePart: (from: number, to: number): void => post({ type: 'part', from, to }),
  ids: async (indices: Uint32Array): Promise<readonly string[]> =>
    (await request('ids', { type: 'ids', seq: ++seq, indices })).ids,
  facets: async (): Promise<Facets> => (await request('facets', { type: 'facets', seq: ++seq })).facets,
  /** Whole devices, in the order of their ids; absent devices are left out. */
  full: async (ids: readonly string[]): Promise<readonly Device[]> =>
    (await request('full', { type: 'full', seq: ++seq, ids })).devices,
  /** Marks them as the rows of the last import, which `in:import` filters for. @returns their ids */
  markImported: async (rows: readonly Called[]): Promise<readonly string[]> => {
    const { ids } = await request('mark', { type: 'mark', seq: ++seq, rows })
    drafts.keep(MARKED, ids)
    return ids
  },
  /** Waits until the devices are as the server has them now. */
  reload: (): Promise<void> =>
    new Promise((resolve, reject) => {
      const before = state.get()
      const end = state.subscribe(() => {
        const { loadedAtMs, error, status } = state.get()
        const isLoaded = status === 'ready' && loadedAtMs !== before.loadedAtMs
        if (!isLoaded && error === undefined) return
        end()
        if (isLoaded) resolve()
        else reject(error)
      })
      load()
    }),
  /** The few fields of every device that a graph of all devices needs. */
  brief: async (): Promise<Brief> => (await request('brief', { type: 'brief', seq: ++seq })).brief,
  /** The tags of these devices, as they are known here. */
  tags: async (ids: readonly string[]) => (await request('tags', { type: 'tags', seq: ++seq, ids })).tags,
  put: (changed: readonly Device[]): void => post({ type: 'put', devices: changed }),
  /** Changes by other users, from the live feed. */
  heard: (changed: readonly Device[], gone: readonly string[]): void => post({ type: 'heard', devices: changed, gone }),
  drop: (ids: readonly string[]): void => post({ type: 'drop', ids }),
}
