/** What the page and the worker of the topology say to each other. */
import type { Graph, GraphQuery } from './graph.ts'

export type WorkerRequest = { readonly type: 'graph'; readonly seq: number; readonly query: GraphQuery }

export type WorkerResponse =
  | {
      readonly type: 'graph'
      readonly seq: number
      readonly graph: Graph
      readonly positions: Float32Array<ArrayBuffer>
    }
  /** The places that the nodes have in the end. */
  | { readonly type: 'settled'; readonly seq: number; readonly positions: Float32Array<ArrayBuffer> }
  | {
      readonly type: 'failed'
      readonly seq: number
      readonly status: number
      readonly body: unknown
      readonly retryAfter: string | null
    }
