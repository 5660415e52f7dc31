/** Holds every device: asks for them, parses, sorts and filters them, and hands the page the few rows it shows. */
import type { Device } from '../api/contracts.ts'
import { type RefNames, withCustomFields } from '../custom-fields/values.ts'
import { TableEngine } from '../table/engine.ts'
import type { Facets } from '../table/filter.ts'
import { type Brief, type Called, STATES, type WorkerRequest, type WorkerResponse } from './messages.ts'
import { deviceRows, deviceSpec } from './spec.ts'

const names = new Map<string, string>()
const marked = new Set<string>()
const ownSpec = deviceSpec(names, marked)
let spec = ownSpec
let custom: (WorkerRequest & { type: 'custom' }) | undefined
/** The names of the objects that custom fields refer to. */
let refNames: RefNames = new Map()
const rowOf = deviceRows(names)
let engine = new TableEngine<Device>([], spec)
let version = 0
let etag: string | undefined
let loadedAtMs = 0
let isLoading = false
type LoadRequest = WorkerRequest & { type: 'load' }
type HeardRequest = WorkerRequest & { type: 'heard' }
/** Heard while the list was on its way: the list may be from before. */
let meanwhile: HeardRequest[] = []

/** Rows sent along with a result: more than any window shows. */
const AHEAD = 80

// The types of a page are those of a window, which posts to an origin; a worker posts to its page.
const tell = (message: WorkerResponse, transfer: Transferable[] = []): void =>
  (self as unknown as { postMessage: (message: WorkerResponse, transfer: Transferable[]) => void }).postMessage(
    message,
    transfer,
  )

const changed = (): void => {
  version++
  tell({ type: 'changed', total: engine.total, version, loadedAtMs })
}

/** When the first rows have long been answered for. */
const WARM_MS = 300
/** How long the page may take to draw the first rows before all of them are asked for regardless. */
const DRAWN_WITHIN_MS = 500
let drawn = (): void => {}

/**
 * The first window of rows comes long before 100,000 of them have. It is drawn before they are asked for: to receive them
 * takes more than one processor, and the page would wait for its turn.
 * @returns all of them where they are no more than that
 */
const preview = async (path: string): Promise<readonly Device[] | undefined> => {
  const response = await fetch(`${path}${path.includes('?') ? '&' : '?'}limit=${AHEAD}`)
  // Judged with the answer that holds all of them.
  if (!response.ok) return
  const total = Number(response.headers.get('x-total-count'))
  // The server's half of the contract.
  const devices = (await response.json()) as readonly Device[]
  if (total <= devices.length) return devices
  tell({ type: 'preview', total, devices })
  await new Promise<void>((resolve) => {
    drawn = resolve
    setTimeout(resolve, DRAWN_WITHIN_MS)
  })
}

const hold = (rows: readonly Device[]): void => {
  extend(rows)
  for (const heard of meanwhile) take(heard)
  changed()
  setTimeout(() => engine.warm(), WARM_MS)
}

const load = async ({ isShown, path }: LoadRequest): Promise<void> => {
  // By hand, so that an answer of "not modified" costs no parsing.
  const init: RequestInit = etag === undefined ? {} : { headers: { 'If-None-Match': etag }, cache: 'no-store' }
  // The request for the whole list reports the same error.
  const few = version === 0 && isShown ? await preview(path).catch(() => undefined) : undefined
  if (few) {
    loadedAtMs = Date.now()
    hold(few)
    return
  }
  const response = await fetch(path, init)
  loadedAtMs = Date.now()
  if (response.status === 304) {
    tell({ type: 'current', loadedAtMs })
    return
  }
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => undefined)
    tell({ type: 'failed', status: response.status, body, retryAfter: response.headers.get('retry-after') })
    return
  }
  // The server's half of the contract.
  const rows = (await response.json()) as readonly Device[]
  etag = response.headers.get('etag') ?? undefined
  hold(rows)
}

/** @returns the ids of the rows that changed; a change made in this tab is known already */
const take = ({ devices, gone }: HeardRequest): readonly string[] => {
  const known = new Map(engine.withIds(new Set(devices.map(({ id }) => id))).map((one) => [one.id, one.updated_at]))
  const newer = devices.filter(({ id, updated_at }) => updated_at > (known.get(id) ?? ''))
  const lost = engine.withIds(new Set(gone)).map(({ id }) => id)
  if (newer.length > 0) engine.put(newer)
  if (lost.length > 0) engine.drop(new Set(lost))
  const ids = newer.map(({ id }) => id)
  // The rows no longer match the ETag of the server's list.
  if (ids.length + lost.length > 0) etag = undefined
  return [...ids, ...lost]
}

const listen = (ask: HeardRequest): void => {
  if (isLoading) meanwhile.push(ask)
  // Before the first list there is nothing to change.
  if (version === 0) return
  const ids = take(ask)
  if (ids.length === 0) return
  changed()
  tell({ type: 'heard', ids })
}

const loadOnce = async (ask: LoadRequest): Promise<void> => {
  if (isLoading) return
  isLoading = true
  meanwhile = []
  try {
    await load(ask)
  } catch {
    tell({ type: 'failed', status: 0, body: undefined, retryAfter: null })
  } finally {
    isLoading = false
  }
}

/** The names of the devices that the values of a device refer to; undefined if no custom field refers to devices. */
const deviceNamesOf = (device: Device): ReadonlyMap<string, string> | undefined => {
  const fields = custom?.definitions.filter(({ reference_to }) => reference_to === 'devices') ?? []
  const ids = fields.flatMap(({ name }) => [device.custom?.[name] ?? []].flat().map(String))
  return fields.length === 0 ? undefined : new Map(ids.map((id) => [id, refNames.get(id) ?? id]))
}

const rowsOf = (indices: Iterable<number>) =>
  [...indices].map((index) => {
    const device = engine.row(index)
    const deviceNames = deviceNamesOf(device)
    return [index, deviceNames ? { ...rowOf(device), deviceNames } : rowOf(device)] as const
  })

const full = (ids: readonly string[]): readonly Device[] => {
  const found = new Map(engine.withIds(new Set(ids)).map((device) => [device.id, device]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const brief = (): Brief => {
  const rows = [...engine.query({ q: '', sort: 'name', isDescending: false })].map((index) => engine.row(index))
  const placeNames = [...new Set(rows.map(({ datacenter_id }) => names.get(datacenter_id ?? '') ?? ''))]
  const numbers = new Map(placeNames.map((name, number) => [name, number]))
  return {
    ids: rows.map(({ id }) => id),
    names: rows.map(({ name }) => name),
    places: Uint16Array.from(rows, ({ datacenter_id }) => numbers.get(names.get(datacenter_id ?? '') ?? '') ?? 0),
    placeNames,
    states: Uint8Array.from(rows, ({ status }) => STATES.indexOf(status)),
  }
}

/** As the server finds the device that a row of an import means. */
const mark = (rows: readonly Called[]): readonly string[] => {
  const byName = new Map<string, string>()
  for (const index of engine.query({ q: '', sort: 'name', isDescending: true })) {
    const { id, name } = engine.row(index)
    byName.set(name.toLowerCase(), id)
  }
  marked.clear()
  for (const { id, name = '' } of rows) {
    const found = id ?? byName.get(name.trim().toLowerCase())
    if (found !== undefined) marked.add(found)
  }
  engine.forget()
  return [...marked]
}

/** Devices may refer to devices, which all are here. */
const refNamesOf = ({ definitions, names: given }: WorkerRequest & { type: 'custom' }, rows: readonly Device[]) => {
  const hasDevices = definitions.some(({ reference_to }) => reference_to === 'devices')
  return new Map([...given, ...(hasDevices ? rows.map(({ id, name }) => [id, name] as const) : [])])
}

/** Searches, sorts and filters by custom fields as well. */
const extend = (rows: readonly Device[]): void => {
  refNames = custom ? refNamesOf(custom, rows) : new Map()
  spec = custom ? withCustomFields(ownSpec, custom.definitions, refNames) : ownSpec
  engine = new TableEngine(rows, spec)
}

const allRows = (): readonly Device[] =>
  [...engine.query({ q: '', sort: '', isDescending: false })].map((index) => engine.row(index))

/** Lets the worker answer the requests that arrived until now. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let facets: { readonly version: number; readonly counted: Promise<Facets> } | undefined

const countFacets = async (): Promise<Facets> => {
  const steps = engine.facetSteps()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await turn()
  }
}

const facetsOfNow = (): Promise<Facets> => {
  if (facets?.version !== version) facets = { version, counted: countFacets() }
  return facets.counted
}

const hear = (ask: WorkerRequest): void => {
  switch (ask.type) {
    case 'load':
      void loadOnce(ask)
      return
    case 'drawn':
      drawn()
      return
    case 'names':
      names.clear()
      for (const [id, name] of ask.names) names.set(id, name)
      engine.forget()
      if (engine.total > 0) changed()
      return
    case 'custom':
      custom = ask
      extend(allRows())
      if (engine.total > 0) changed()
      return
    case 'query': {
      const order = engine.query(ask.query)
      const from = Math.max(0, ask.from - AHEAD / 4)
      const rows = rowsOf(order.subarray(from, from + AHEAD))
      tell({ type: 'result', seq: ask.seq, version, total: engine.total, order, rows }, [order.buffer])
      return
    }
    case 'rows':
      tell({ type: 'rows', seq: ask.seq, version, rows: rowsOf(ask.indices) })
      return
    case 'ids':
      tell({ type: 'ids', seq: ask.seq, ids: [...ask.indices].map((index) => engine.row(index).id) })
      return
    case 'facets':
      void facetsOfNow().then((counted) => tell({ type: 'facets', seq: ask.seq, facets: counted }))
      return
    case 'tags': {
      const devices = engine.withIds(new Set(ask.ids))
      tell({ type: 'tags', seq: ask.seq, tags: devices.map(({ id, tags }) => [id, tags] as const) })
      return
    }
    case 'full':
      tell({ type: 'full', seq: ask.seq, devices: full(ask.ids) })
      return
    case 'brief':
      tell({ type: 'brief', seq: ask.seq, brief: brief() })
      return
    case 'mark':
      tell({ type: 'mark', seq: ask.seq, ids: mark(ask.rows) })
      return
    case 'heard':
      listen(ask)
      return
    case 'put':
      engine.put(ask.devices)
      break
    case 'drop':
      engine.drop(new Set(ask.ids))
      break
  }
  // The rows no longer match the ETag of the server's list.
  etag = undefined
  changed()
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => hear(data))
