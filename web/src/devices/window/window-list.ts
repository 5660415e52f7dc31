/** One list of the server, of which windows of rows are fetched and kept. Runs in the worker. */
import type { Device } from '../../api/contracts.ts'
import type { Param } from './windowed-state.ts'
import { listSurplus, listWindows, MOST_WINDOWS, toPlace, toReversedSpan, WINDOW } from './windows.ts'

/** Between two looks at a table that is being scrolled. */
const REST_MS = 80
/** Before a window that failed is requested again. */
const RETRY_MS = 2000
/** Between two requests of all shown rows because their number changes. */
const MOVED_MS = 1000

type Window = { readonly rows: readonly Device[]; readonly etag: string | null; readonly isStale: boolean }

export type ListEvents = {
  readonly onRows: (from: number, rows: readonly Device[]) => void
  /** The number of rows has changed, and with it their positions. */
  readonly onCount: () => void
  /** @param response undefined if there was none */
  readonly onFailed: (response: Response | undefined) => Promise<void>
}

type Options = { readonly path: string; readonly params: readonly Param[]; readonly isDescending: boolean }

/** Adds parameters to the path of a list. */
export const addParams = (path: string, params: readonly (readonly [string, string | number])[]): string => {
  const text = new URLSearchParams(params.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

export const parseTotal = (response: Response): number => Number(response.headers.get('x-total-count'))

export const createWindowList = ({ path, params, isDescending }: Options, events: ListEvents) => {
  /** In the order of their use. */
  const windows = new Map<number, Window>()
  const pending = new Map<number, AbortController>()
  let count: number | undefined
  let wanted: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let movedAt = Number.NEGATIVE_INFINITY
  let isEnded = false

  /** The number of rows is unknown before the first answer, which is from the beginning. */
  const computeSpan = (window: number) => {
    const span = { from: window * WINDOW, to: (window + 1) * WINDOW }
    if (!count) return { ...span, count: Number.POSITIVE_INFINITY }
    const whole = { from: span.from, to: Math.min(span.to, count), count }
    return isDescending ? toReversedSpan(whole) : whole
  }

  const keep = (window: number, kept: Window): void => {
    windows.delete(window)
    windows.set(window, kept)
    for (const oldest of listSurplus(windows.keys(), MOST_WINDOWS)) windows.delete(oldest)
  }

  const markStale = (): void => {
    for (const [window, kept] of windows) windows.set(window, { ...kept, isStale: true })
  }

  const startLater = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void start(), ms)
  }

  /** Starts at once, but not more than once in a while. */
  const startPaced = (): void => {
    const restMs = movedAt + MOVED_MS - performance.now()
    movedAt = performance.now() + Math.max(0, restMs)
    startLater(Math.max(0, restMs))
  }

  const applyWindow = async (window: number, response: Response, isReversed: boolean): Promise<void> => {
    const known = windows.get(window)
    if (response.status === 304 && known) {
      keep(window, { ...known, isStale: false })
      return
    }
    const total = parseTotal(response)
    // The server's half of the contract.
    const found = (await response.json()) as readonly Device[]
    if (isEnded) return
    const hasMoved = count !== undefined && count !== total
    count = total
    if (hasMoved) {
      // Positions counted from the end are others now.
      markStale()
      windows.delete(window)
      events.onCount()
      startPaced()
      return
    }
    const rows = isReversed ? found.toReversed() : found
    keep(window, { rows, etag: response.headers.get('etag'), isStale: false })
    events.onRows(window * WINDOW, rows)
  }

  const fetchWindow = async (window: number): Promise<void> => {
    const abort = new AbortController()
    pending.set(window, abort)
    const place = toPlace(computeSpan(window))
    const isAtEnd = count ? place.isFromEnd : isDescending
    const url = addParams(path, [
      ...params,
      ...(isAtEnd ? [['sort', '-name'] as const] : []),
      ['limit', place.limit],
      ['offset', place.offset],
    ])
    const etag = windows.get(window)?.etag
    try {
      const headers: HeadersInit = etag ? { 'If-None-Match': etag } : {}
      const response = await fetch(url, { headers, signal: abort.signal, cache: 'no-store' })
      if (response.ok || response.status === 304) await applyWindow(window, response, isAtEnd !== isDescending)
      else {
        await events.onFailed(response)
        startLater(RETRY_MS)
      }
    } catch {
      if (abort.signal.aborted) return
      await events.onFailed(undefined)
      startLater(RETRY_MS)
    } finally {
      if (pending.get(window) === abort) pending.delete(window)
    }
  }

  const isMissing = (window: number): boolean => {
    const kept = windows.get(window)
    return (!kept || kept.isStale) && !pending.has(window)
  }

  /** Requests the wanted windows, and calls the others off. */
  const start = async (): Promise<void> => {
    if (isEnded) return
    askedAt = performance.now()
    for (const [window, abort] of pending)
      if (!wanted.includes(window)) {
        pending.delete(window)
        abort.abort()
      }
    const isThere = (window: number) => window === 0 || window * WINDOW < (count ?? 0)
    await Promise.all(wanted.filter((window) => isThere(window) && isMissing(window)).map(fetchWindow))
  }

  const rowAt = (position: number): Device | undefined => {
    const window = Math.floor(position / WINDOW)
    return windows.get(window)?.rows[position - window * WINDOW]
  }

  return {
    params,
    isDescending,
    /** Undefined before the first answer. */
    count: () => count,
    rowAt,
    /** Requests the first window, which tells the number of rows. */
    open: async (): Promise<void> => {
      wanted = wanted.length > 0 ? wanted : [0]
      if (count === undefined) await fetchWindow(0)
    },
    /** Sends the rows of a part, as soon as they are there. Other parts are called off. */
    want: (from: number, to: number): void => {
      wanted = listWindows(from, Math.min(to, count ?? to))
      for (const window of wanted) {
        const kept = windows.get(window)
        if (!kept) continue
        keep(window, kept)
        events.onRows(window * WINDOW, kept.rows)
      }
      clearTimeout(timer)
      const restMs = askedAt + REST_MS - performance.now()
      if (restMs > 0) startLater(restMs)
      else void start()
    },
    /** Marks the window of a device with an unchanged place, or all windows. */
    change: (device: Device | undefined): void => {
      for (const [window, kept] of windows) {
        const old = device && kept.rows.find(({ id }) => id === device.id)
        if (old && params.length === 0 && old.name === device.name) {
          windows.set(window, { ...kept, isStale: true })
          return
        }
      }
      markStale()
    },
    /** Requests the stale ones of the wanted windows. */
    refresh: (): Promise<void> => start(),
    markStale,
    /** Every row that is here. */
    kept: (): Device[] => [...windows.values()].flatMap(({ rows }) => rows),
    end: (): void => {
      isEnded = true
      clearTimeout(timer)
      for (const abort of pending.values()) abort.abort()
    },
  }
}

export type WindowList = ReturnType<typeof createWindowList>
