/** Stores all relationships, selects a subgraph and lays it out, without blocking the page. */
import type { Relationship } from '../api/contracts.ts'
import { forceLayout, ringLayout } from './force.ts'
import { graphAround, LinkIndex } from './graph.ts'
import { layeredLayout } from './layered.ts'
import type { WorkerRequest, WorkerResponse } from './messages.ts'

// The DOM types describe the postMessage of a window, which takes an origin.
const tell = (message: WorkerResponse): void =>
  (self as unknown as { postMessage: (message: WorkerResponse) => void }).postMessage(message)

type Loaded = LinkIndex | { readonly status: number; readonly body: unknown; readonly retryAfter: string | null }

const load = async (path: string): Promise<Loaded> => {
  try {
    const response = await fetch(path)
    const { status } = response
    const retryAfter = response.headers.get('retry-after')
    if (!response.ok) return { status, body: await response.json().catch(() => undefined), retryAfter }
    // The server returns values of the contract's type.
    return new LinkIndex((await response.json()) as readonly Relationship[])
  } catch {
    return { status: 0, body: undefined, retryAfter: null }
  }
}

let loaded: Promise<Loaded> | undefined

/** Lets the page draw the first layout before the simulation occupies a processor. */
const DRAWN_MS = 150
/** The number of the latest request. Simulations for earlier requests stop. */
let latest = 0

const answer = async ({ seq, query, path }: WorkerRequest): Promise<void> => {
  latest = seq
  loaded ??= load(path)
  const index = await loaded
  if (!(index instanceof LinkIndex)) {
    loaded = undefined
    tell({ type: 'failed', seq, ...index })
    return
  }
  const graph = graphAround(index, query)
  const isLayered = query.view === 'impact'
  tell({ type: 'graph', seq, graph, positions: isLayered ? layeredLayout(graph) : ringLayout(graph) })
  if (isLayered) return
  await new Promise((resolve) => setTimeout(resolve, DRAWN_MS))
  if (seq !== latest) return
  tell({ type: 'settled', seq, positions: forceLayout(graph) })
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => void answer(data))
