/**
 * More devices than the browser holds: the server narrows the list, and windows of its rows are shown by name. Once few
 * enough are left, they are loaded into the engine, which does the rest. Runs in the worker.
 */
import type { Device } from '../../api/contracts.ts'
import type { Facets } from '../../table/filter.ts'
import { STATES, type WorkerRequest } from './messages.ts'
import { type Datacenters, hasAllRows, isAmong, type Parts, parseParts, removeApplied } from './server-parts.ts'
import { addParams, createWindowList, parseTotal, type WindowList } from './window-list.ts'
import type { WindowedState } from './windowed-state.ts'

/** Between the last key and the request. */
const SETTLE_MS = 150
/** Between two requests because of changes. */
const REFRESH_MS = 1000

type QueryRequest = WorkerRequest & { type: 'query' }

export type Host = {
  readonly path: string
  readonly maxRows: number
  readonly fields: () => readonly string[]
  readonly datacenters: () => Datacenters
  /** Replaces the rows of the engine. */
  readonly replaceRows: (rows: readonly Device[]) => void
  readonly put: (devices: readonly Device[]) => void
  readonly drop: (ids: readonly string[]) => void
  readonly facets: () => Promise<Facets>
  /** Answers with the rows of the engine. */
  readonly answer: (request: QueryRequest, q: string) => void
  readonly answerWindowed: (request: QueryRequest, state: WindowedState, rows: ReadonlyMap<number, Device>) => void
  /** The request was followed by another. */
  readonly callOff: (request: QueryRequest) => void
  readonly sendRows: (from: number, rows: readonly Device[]) => void
  /** Earlier answers are out of date. @param total without a filter */
  readonly changed: (total: number) => void
  readonly failed: (response: Response | undefined) => Promise<void>
  /** There are no longer too many. */
  readonly leave: () => void
}

/** The number of positions between the bases of two lists. */
const APART = 2 ** 32
/** Rows that come along with an answer. */
const ALONG = 80

export const createWindowed = (host: Host, firstTotal: number) => {
  let total = firstTotal
  let epoch = 0
  let list: { readonly key: string; readonly base: number; readonly rows: WindowList } | undefined
  /** The rows in the engine. */
  let held: Parts | undefined
  let isShownHeld = false
  let loading: AbortController | undefined
  let latest: QueryRequest | undefined
  let settling: { readonly request: QueryRequest; readonly timer: ReturnType<typeof setTimeout> } | undefined
  let refreshTimer: ReturnType<typeof setTimeout> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY

  const parseQuery = (q: string): Parts => parseParts(q, { fields: host.fields(), datacenters: host.datacenters() })

  const hasTotal = (next: number): void => {
    total = next
    if (total <= host.maxRows) host.leave()
  }

  const openList = (key: string, parts: Parts, isDescending: boolean) => {
    list?.rows.end()
    const base = ++epoch * APART
    const rows = createWindowList(
      { path: host.path, params: parts.params ?? [], isDescending },
      {
        onRows: (from, found) => host.sendRows(base + from, found),
        onCount: () => {
          if (parts.params?.length === 0) hasTotal(rows.count() ?? total)
          host.changed(total)
        },
        onFailed: host.failed,
      },
    )
    list = { key, base, rows }
    return list
  }

  /** Loads all rows that the server's parts leave. */
  const loadHeld = async (parts: Parts): Promise<void> => {
    loading?.abort()
    const mine = new AbortController()
    loading = mine
    try {
      const response = await fetch(addParams(host.path, parts.params ?? []), { signal: mine.signal })
      if (!response.ok) return await host.failed(response)
      if (parseTotal(response) > host.maxRows) {
        await response.body?.cancel()
        list?.rows.markStale()
        return
      }
      // The server's half of the contract.
      const rows = (await response.json()) as readonly Device[]
      if (mine.signal.aborted) return
      held = parts
      host.replaceRows(rows)
      host.changed(total)
    } catch {
      if (!mine.signal.aborted) await host.failed(undefined)
    } finally {
      if (loading === mine) loading = undefined
    }
  }

  const collectRows = (rows: WindowList, from: number): ReadonlyMap<number, Device> => {
    const found = new Map<number, Device>()
    for (let position = Math.max(0, from); position < from + ALONG; position++) {
      const device = rows.rowAt(position)
      if (device) found.set(position, device)
    }
    return found
  }

  const answerHeld = (request: QueryRequest, base: Parts): void => {
    isShownHeld = true
    loading?.abort()
    list?.rows.end()
    list = undefined
    host.answer(request, removeApplied(request.query.q, host.fields(), base))
  }

  const queryServer = async (request: QueryRequest, parts: Parts): Promise<void> => {
    isShownHeld = false
    const { params, waiting } = parts
    if (!params) {
      host.answerWindowed(
        request,
        { base: ++epoch * APART, count: 0, params: [], waiting, isLoading: false },
        new Map(),
      )
      return
    }
    const { sort, isDescending: isTurned } = request.query
    const isDescending = sort === 'name' && isTurned
    const key = JSON.stringify([params, isDescending])
    const shown = list?.key === key ? list : openList(key, parts, isDescending)
    await shown.rows.open()
    const count = shown.rows.count()
    // A later request has opened another list, or no answer came.
    if (list !== shown || latest !== request || count === undefined) {
      host.callOff(request)
      return
    }
    if (params.length === 0) hasTotal(count)
    const isFew = count <= host.maxRows && params.length > 0
    if (isFew && !loading) void loadHeld(parts)
    host.answerWindowed(
      request,
      { base: shown.base, count, params, waiting, isLoading: isFew },
      collectRows(shown.rows, request.from - ALONG / 4),
    )
  }

  const query = (request: QueryRequest): void => {
    const before = latest
    latest = request
    if (settling) {
      clearTimeout(settling.timer)
      host.callOff(settling.request)
      settling = undefined
    }
    const parts = parseQuery(request.query.q)
    if (held && parts.params && hasAllRows(held, parts)) {
      answerHeld(request, held)
      return
    }
    const isSame = list?.key.startsWith(JSON.stringify([parts.params]).slice(0, -1)) === true
    if (!isSame) loading?.abort()
    if (before === undefined || before.query.q === request.query.q || isSame) {
      void queryServer(request, parts)
      return
    }
    const timer = setTimeout(() => {
      settling = undefined
      void queryServer(request, parts)
    }, SETTLE_MS)
    settling = { request, timer }
  }

  const readTotal = async (): Promise<void> => {
    const response = await fetch(addParams(host.path, [['limit', 1]]))
    if (response.ok) hasTotal(parseTotal(response))
    else await host.failed(response)
  }

  const refreshNow = async (): Promise<void> => {
    refreshTimer = undefined
    refreshedAt = performance.now()
    try {
      const isUnfiltered = list !== undefined && list.rows.params.length === 0
      await Promise.all([list?.rows.refresh(), isUnfiltered ? undefined : readTotal()])
    } catch {
      await host.failed(undefined)
      return
    }
    host.changed(total)
  }

  /** At most once in a second, whatever the number of changes. */
  const refresh = (): void => {
    refreshTimer ??= setTimeout(() => void refreshNow(), Math.max(0, refreshedAt + REFRESH_MS - performance.now()))
  }

  return {
    query,
    /** @param from an index that an answer gave */
    want: (from: number, to: number): void => {
      if (list && from >= list.base) list.rows.want(from - list.base, to - list.base)
    },
    /** Devices were changed or deleted, here or elsewhere. */
    change: (devices: readonly Device[], gone: readonly string[]): void => {
      for (const device of gone.length > 0 ? [undefined] : devices) list?.rows.change(device)
      const base = held
      if (base) {
        const [among, others] = [
          devices.filter((one) => isAmong(one, base)),
          devices.filter((one) => !isAmong(one, base)),
        ]
        if (among.length > 0) host.put(among)
        host.drop([...gone, ...others.map(({ id }) => id)])
        if (isShownHeld) host.changed(total)
      }
      refresh()
    },
    /** Everything may have changed. */
    reload: (): void => {
      list?.rows.markStale()
      if (held) {
        const base = held
        held = undefined
        void loadHeld(base)
      }
      refresh()
    },
    total: (): number => total,
    path: host.path,
    /** The rows that are here. */
    kept: (): readonly Device[] => list?.rows.kept() ?? [],
    facets: async (): Promise<Facets> => {
      if (isShownHeld) return host.facets()
      const tags = new Set(list?.rows.kept().flatMap((device) => device.tags))
      const uncounted = (values: Iterable<string>) => [...values].map((value) => [value, 0] as const)
      return {
        tag: uncounted(tags),
        status: uncounted(STATES),
        dc: uncounted(host.datacenters().map(([, name]) => name)),
      }
    },
    end: (): void => {
      list?.rows.end()
      loading?.abort()
      clearTimeout(refreshTimer)
      if (settling) clearTimeout(settling.timer)
    },
  }
}

export type Windowed = ReturnType<typeof createWindowed>
