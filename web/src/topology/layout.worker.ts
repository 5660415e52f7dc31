/** Stores all relationships and cables, selects a subgraph and lays it out, without blocking the page. */
import type { Relationship } from '../api/contracts.ts'
import type { Cable } from '../cables/fields.ts'
import { computeForceLayout, computeRingLayout } from './drawing/force.ts'
import { computeLayeredLayout } from './drawing/layered.ts'
import { buildGraph, buildSwitchGraph, type Graph, LinkIndex } from './graph.ts'
import { buildAffectedGraph } from './impact/affected-graph.ts'
import type { WorkerRequest, WorkerResponse } from './messages.ts'
import { joinCables } from './pass-through.ts'

// The DOM types describe the postMessage of a window, which takes an origin.
const post = (message: WorkerResponse): void =>
  (self as unknown as { postMessage: (message: WorkerResponse) => void }).postMessage(message)

type Failed = { readonly status: number; readonly body: unknown; readonly retryAfter: string | null }
/** `joined` has no device that cables only pass through. Such a device has its own cables in `whole`. */
type Indexes = { readonly joined: LinkIndex; readonly whole: LinkIndex; readonly passed: ReadonlySet<string> }
type Loaded = Indexes | Failed

/** @throws Failed */
const fetchList = async (path: string): Promise<unknown> => {
  const response = await fetch(path).catch(() => undefined)
  const toFailure = (body: unknown): Failed => ({
    status: response?.status ?? 0,
    body,
    retryAfter: response?.headers.get('retry-after') ?? null,
  })
  if (!response) throw toFailure(undefined)
  if (!response.ok) throw toFailure(await response.json().catch(() => undefined))
  return response.json()
}

const load = async ({ path, cablesPath }: WorkerRequest): Promise<Loaded> => {
  try {
    const [links, cables] = await Promise.all([fetchList(path), cablesPath === undefined ? [] : fetchList(cablesPath)])
    // The server returns values of the contract's type.
    const [relationships, all] = [links as readonly Relationship[], cables as readonly Cable[]]
    const chains = joinCables(all)
    const joined = new LinkIndex(relationships, chains)
    const passed = new Set(chains.flatMap(({ through }) => through))
    return { joined, whole: passed.size === 0 ? joined : new LinkIndex(relationships, all), passed }
  } catch (error) {
    // Other errors come from `fetchList`. JSON that breaks off is a lost connection.
    return error instanceof Error ? { status: 0, body: undefined, retryAfter: null } : (error as Failed)
  }
}

let loaded: Promise<Loaded> | undefined

/** Lets the page draw the first layout before the simulation occupies a processor. */
const DRAWN_MS = 150
/** The number of the latest request. Simulations for earlier requests stop. */
let latest = 0

const select = ({ joined, whole, passed }: Indexes, query: WorkerRequest['query']): Graph => {
  if (query.view === 'switches') return buildSwitchGraph(joined, query)
  if (query.view === 'affected') return buildAffectedGraph(joined, query)
  return buildGraph(passed.has(query.focus) ? whole : joined, query)
}

const handleRequest = async (request: WorkerRequest): Promise<void> => {
  const { seq, query } = request
  latest = seq
  loaded ??= load(request)
  const indexes = await loaded
  if (!('joined' in indexes)) {
    loaded = undefined
    post({ type: 'failed', seq, ...indexes })
    return
  }
  const graph = select(indexes, query)
  const isLayered = query.view === 'impact'
  post({ type: 'graph', seq, graph, positions: isLayered ? computeLayeredLayout(graph) : computeRingLayout(graph) })
  if (isLayered) return
  await new Promise((resolve) => setTimeout(resolve, DRAWN_MS))
  if (seq !== latest) return
  post({ type: 'settled', seq, positions: computeForceLayout(graph) })
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => void handleRequest(data))
