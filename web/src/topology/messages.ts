/** The messages between the page and the topology worker. */
import type { Graph, GraphQuery, SwitchQuery } from './graph.ts'
import type { AffectedQuery } from './impact/affected-graph.ts'

export type WorkerRequest = {
  readonly type: 'graph'
  readonly seq: number
  readonly query: GraphQuery | SwitchQuery | AffectedQuery
  /** The path of the list of relationships, with the moment that it is of. */
  readonly path: string
  /** The path of the list of cables; undefined if there are none to show. */
  readonly cablesPath: string | undefined
}

export type WorkerResponse =
  | {
      readonly type: 'graph'
      readonly seq: number
      readonly graph: Graph
      readonly positions: Float32Array<ArrayBuffer>
    }
  /** The final positions of the nodes. */
  | { readonly type: 'settled'; readonly seq: number; readonly positions: Float32Array<ArrayBuffer> }
  | {
      readonly type: 'failed'
      readonly seq: number
      readonly status: number
      readonly body: unknown
      readonly retryAfter: string | null
    }
