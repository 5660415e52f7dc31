/** Holds every device: asks for them, parses, sorts and filters them, and hands the page the few rows it shows. */
import { listSpellings } from '../../../../src/net/words/spellings.ts'
import type { Device } from '../../api/contracts.ts'
import { type RefNames, withCustomFields } from '../../custom-fields/values.ts'
import { TableEngine, type TableQuery } from '../../table/engine.ts'
import type { Facets } from '../../table/filter.ts'
import { buildDeviceSpec, createRowMapper, type DeviceRow } from '../column-spec.ts'
import { buildBrief } from '../graph-summary.ts'
import type { Called, WorkerRequest, WorkerResponse } from './messages.ts'
import type { Host, Windowed } from './window-reader.ts'

const names = new Map<string, string>()
const marked = new Set<string>()
const ownSpec = buildDeviceSpec(names, marked)
let spec = ownSpec
let custom: (WorkerRequest & { type: 'custom' }) | undefined
/** The names of the objects that custom fields refer to. */
let refNames: RefNames = new Map()
const toRow = createRowMapper(names)
let engine = new TableEngine<Device>([], { ...spec, spell: listSpellings })
let version = 0
/** Used for more devices than `engine` may hold. `engine` then has the devices that the server's parts of a filter leave. */
let windowed: Windowed | undefined
let datacenters: readonly string[] = []
/** The rows of the last import. */
let called: readonly Called[] = []
let etag: string | undefined
let loadedAtMs = 0
let isLoading = false
type LoadRequest = WorkerRequest & { type: 'load' }
type HeardRequest = WorkerRequest & { type: 'heard' }
/** Heard while the list was on its way: the list may be from before. */
let meanwhile: HeardRequest[] = []

/** Rows sent along with a result: more than any window shows. */
const AHEAD = 80

// The types of a page belong to a window, which posts to an origin; a worker posts to its page.
const post = (message: WorkerResponse, transfer: Transferable[] = []): void =>
  (self as unknown as { postMessage: (message: WorkerResponse, transfer: Transferable[]) => void }).postMessage(
    message,
    transfer,
  )

const notifyChanged = (): void => {
  version++
  const total = windowed?.total() ?? engine.total
  post({ type: 'changed', total, version, loadedAtMs, isMany: windowed !== undefined })
}

/** When the first rows have long been answered for. */
const WARM_MS = 300
/** How long the page may take to draw the first rows before all of them are asked for regardless. */
const DRAWN_WITHIN_MS = 500
let drawn = (): void => {}

/**
 * Requests the first window of rows, which arrives long before 100,000 rows. It is drawn before the rest is requested: the rest takes more
 * than one processor, and the page would wait for its turn.
 * @returns the total, and all rows if the window holds them
 */
const fetchPreview = async (
  path: string,
): Promise<{ readonly total: number; readonly all?: readonly Device[] } | undefined> => {
  const response = await fetch(`${path}${path.includes('?') ? '&' : '?'}limit=${AHEAD}`)
  // The later answer with all of them reports the error.
  if (!response.ok) return
  const total = Number(response.headers.get('x-total-count'))
  // The server's half of the contract.
  const devices = (await response.json()) as readonly Device[]
  if (total <= devices.length) return { total, all: devices }
  post({ type: 'preview', total, devices })
  await new Promise<void>((resolve) => {
    drawn = resolve
    setTimeout(resolve, DRAWN_WITHIN_MS)
  })
  return { total }
}

const setRows = (rows: readonly Device[]): void => {
  rebuildEngine(rows)
  setTimeout(() => engine.warm(), WARM_MS)
}

const replaceRows = (rows: readonly Device[]): void => {
  windowed?.end()
  windowed = undefined
  setRows(rows)
  for (const heard of meanwhile) applyChanges(heard)
  notifyChanged()
}

const postFailure = async (response: Response | undefined): Promise<void> => {
  const body: unknown = await response?.json().catch(() => undefined)
  post({
    type: 'failed',
    status: response?.status ?? 0,
    body,
    retryAfter: response?.headers.get('retry-after') ?? null,
  })
}

/** Creates the interface of the engine and the page for the windows. */
const createHost = (request: LoadRequest): Host => ({
  path: request.path,
  maxRows: request.maxRows,
  fields: () => Object.keys(spec.fields),
  datacenters: () => datacenters.map((id) => [id, names.get(id) ?? id] as const),
  replaceRows: (rows) => {
    setRows(rows)
    if (called.length > 0) markImported(called)
  },
  put: (devices) => engine.put(devices),
  drop: (ids) => engine.drop(new Set(ids)),
  facets: getCurrentFacets,
  answer: ({ seq, query, from }, q) => postResult(seq, { ...query, q }, from),
  answerWindowed: ({ seq }, state, found) => {
    if (!windowed) return post({ type: 'off', seq })
    const rows = [...found].map(([position, device]) => [state.base + position, toShownRow(device)] as const)
    post({ type: 'result', seq, version, total: windowed.total(), order: new Uint32Array(), windowed: state, rows })
  },
  callOff: ({ seq }) => post({ type: 'off', seq }),
  sendRows: (from, found) =>
    post({ type: 'rows', seq: 0, version, rows: found.map((device, i) => [from + i, toShownRow(device)] as const) }),
  changed: () => {
    loadedAtMs = Date.now()
    notifyChanged()
  },
  failed: postFailure,
  leave: () => void loadOnce({ ...request, isShown: false }, true),
})

/** Holds windows of rows from now on. */
const startWindows = async (request: LoadRequest, total: number): Promise<void> => {
  const { createWindowed } = await import('./window-reader.ts')
  etag = undefined
  rebuildEngine([])
  windowed = createWindowed(createHost(request), total)
  loadedAtMs = Date.now()
  notifyChanged()
}

const load = async (request: LoadRequest, isLeaving: boolean): Promise<void> => {
  const { isShown, path, maxRows } = request
  if (windowed && !isLeaving) {
    windowed.reload()
    return
  }
  // The ETag is sent by hand, so that an answer of "not modified" costs no parsing.
  const init: RequestInit = etag === undefined ? {} : { headers: { 'If-None-Match': etag }, cache: 'no-store' }
  // The request for the whole list reports the same error.
  const few = version === 0 && isShown ? await fetchPreview(path).catch(() => undefined) : undefined
  if (few?.all) {
    loadedAtMs = Date.now()
    replaceRows(few.all)
    return
  }
  if (few && few.total > maxRows) return startWindows(request, few.total)
  const response = await fetch(path, init)
  loadedAtMs = Date.now()
  if (response.status === 304) {
    post({ type: 'current', loadedAtMs })
    return
  }
  if (!response.ok) return postFailure(response)
  const total = Number(response.headers.get('x-total-count'))
  if (total > maxRows) {
    await response.body?.cancel()
    return windowed ? undefined : startWindows(request, total)
  }
  // The server's half of the contract.
  const rows = (await response.json()) as readonly Device[]
  etag = response.headers.get('etag') ?? undefined
  replaceRows(rows)
}

/** @returns the ids of the rows that changed; a change made in this tab is known already */
const applyChanges = ({ devices, gone }: HeardRequest): readonly string[] => {
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
  if (windowed) {
    windowed.change(ask.devices, ask.gone)
    post({ type: 'heard', ids: [...ask.devices.map(({ id }) => id), ...ask.gone] })
    return
  }
  const ids = applyChanges(ask)
  if (ids.length === 0) return
  notifyChanged()
  post({ type: 'heard', ids })
}

/** @param isLeaving there are few enough devices again */
const loadOnce = async (ask: LoadRequest, isLeaving = false): Promise<void> => {
  if (isLoading) return
  isLoading = true
  meanwhile = []
  try {
    await load(ask, isLeaving)
  } catch {
    await postFailure(undefined)
  } finally {
    isLoading = false
  }
}

/** Returns the names of the devices that the values of a device refer to; undefined if no custom field refers to devices. */
const collectDeviceNames = (device: Device): ReadonlyMap<string, string> | undefined => {
  const fields = custom?.definitions.filter(({ reference_to }) => reference_to === 'devices') ?? []
  const ids = fields.flatMap(({ name }) => [device.custom?.[name] ?? []].flat().map(String))
  return fields.length === 0 ? undefined : new Map(ids.map((id) => [id, refNames.get(id) ?? id]))
}

const toShownRow = (device: Device): DeviceRow => {
  const deviceNames = collectDeviceNames(device)
  return deviceNames ? { ...toRow(device), deviceNames } : toRow(device)
}

const toIndexedRows = (indices: Iterable<number>) =>
  [...indices].map((index) => [index, toShownRow(engine.row(index))] as const)

const postResult = (seq: number, query: TableQuery, from: number): void => {
  const order = engine.query(query)
  const start = Math.max(0, from - AHEAD / 4)
  const rows = toIndexedRows(order.subarray(start, start + AHEAD))
  const total = windowed?.total() ?? engine.total
  post({ type: 'result', seq, version, total, order, rows }, [order.buffer])
}

/** The most devices that are requested one by one. */
const MOST_SINGLE = 60

/** Devices that are in no window are requested, as many as the limit of requests bears. */
const fetchSingle = async (ids: readonly string[]): Promise<readonly Device[]> => {
  const found = await Promise.all(
    ids.slice(0, MOST_SINGLE).map(async (id) => {
      const [path = '', moment = ''] = (windowed?.path ?? '').split('?')
      const response = await fetch(`${path}/${encodeURIComponent(id)}${moment === '' ? '' : `?${moment}`}`)
      // The server's half of the contract.
      return response.ok ? [(await response.json()) as Device] : []
    }),
  )
  return found.flat()
}

const findFullDevices = async (ids: readonly string[]): Promise<readonly Device[]> => {
  const wanted = new Set(ids)
  const here = [...(windowed?.kept() ?? []).filter(({ id }) => wanted.has(id)), ...engine.withIds(wanted)]
  const found = new Map(here.map((device) => [device.id, device]))
  const missing = windowed ? ids.filter((id) => !found.has(id)) : []
  for (const device of await fetchSingle(missing).catch(() => [])) found.set(device.id, device)
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Marks the imported devices. The server finds the device of an imported row in the same way. */
const markImported = (rows: readonly Called[]): readonly string[] => {
  called = rows
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
const collectRefNames = (
  { definitions, names: given }: WorkerRequest & { type: 'custom' },
  rows: readonly Device[],
) => {
  const hasDevices = definitions.some(({ reference_to }) => reference_to === 'devices')
  return new Map([...given, ...(hasDevices ? rows.map(({ id, name }) => [id, name] as const) : [])])
}

/** Searches, sorts and filters by custom fields as well. */
const rebuildEngine = (rows: readonly Device[]): void => {
  refNames = custom ? collectRefNames(custom, rows) : new Map()
  spec = custom ? withCustomFields(ownSpec, custom.definitions, refNames) : ownSpec
  engine = new TableEngine(rows, { ...spec, spell: listSpellings })
}

const listRowsByName = (): readonly Device[] =>
  [...engine.query({ q: '', sort: 'name', isDescending: false })].map((index) => engine.row(index))

const listAllRows = (): readonly Device[] =>
  [...engine.query({ q: '', sort: '', isDescending: false })].map((index) => engine.row(index))

/** Lets the worker answer the requests that arrived until now. */
const waitForTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let facets: { readonly version: number; readonly counted: Promise<Facets> } | undefined

const countFacets = async (): Promise<Facets> => {
  const steps = engine.facetSteps()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await waitForTurn()
  }
}

const getCurrentFacets = (): Promise<Facets> => {
  if (facets?.version !== version) facets = { version, counted: countFacets() }
  return facets.counted
}

const onMessage = (ask: WorkerRequest): void => {
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
      datacenters = ask.datacenters
      engine.forget()
      if (engine.total > 0 || windowed) notifyChanged()
      return
    case 'custom':
      custom = ask
      rebuildEngine(listAllRows())
      if (engine.total > 0 || windowed) notifyChanged()
      return
    case 'query':
      if (windowed) windowed.query(ask)
      else postResult(ask.seq, ask.query, ask.from)
      return
    case 'part':
      windowed?.want(ask.from, ask.to)
      return
    case 'rows':
      post({ type: 'rows', seq: ask.seq, version, rows: toIndexedRows(ask.indices) })
      return
    case 'ids':
      post({ type: 'ids', seq: ask.seq, ids: [...ask.indices].map((index) => engine.row(index).id) })
      return
    case 'facets':
      void (windowed?.facets() ?? getCurrentFacets()).then((counted) =>
        post({ type: 'facets', seq: ask.seq, facets: counted }),
      )
      return
    case 'tags': {
      const devices = engine.withIds(new Set(ask.ids))
      post({ type: 'tags', seq: ask.seq, tags: devices.map(({ id, tags }) => [id, tags] as const) })
      return
    }
    case 'full':
      void findFullDevices(ask.ids).then((devices) => post({ type: 'full', seq: ask.seq, devices }))
      return
    case 'brief':
      post({ type: 'brief', seq: ask.seq, brief: buildBrief(listRowsByName(), names) })
      return
    case 'mark':
      post({ type: 'mark', seq: ask.seq, ids: markImported(ask.rows) })
      return
    case 'heard':
      listen(ask)
      return
    case 'put':
      if (windowed) {
        windowed.change(ask.devices, [])
        return
      }
      engine.put(ask.devices)
      break
    case 'drop':
      if (windowed) {
        windowed.change([], ask.ids)
        return
      }
      engine.drop(new Set(ask.ids))
      break
  }
  // The rows no longer match the ETag of the server's list.
  etag = undefined
  notifyChanged()
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => onMessage(data))
