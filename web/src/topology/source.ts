/** The interface to the topology worker, which runs while the page is open. */
import { useEffect, useState } from 'react'
import type { AppError } from '../../../src/contract/errors.ts'
import { buildError } from '../../../src/surfaces/cli/connection/client.ts'
import { keepMoment } from '../api/as-of.ts'
import { noteAnswer, noteFailure } from '../api/connection.ts'
import { startWorker } from '../api/trusted-worker.ts'
import { useIsInUse, usePermit } from '../shell/me.ts'
import type { Graph, GraphQuery, Picture, SwitchQuery } from './graph.ts'
import type { AffectedQuery } from './impact/affected-graph.ts'
import type { WorkerRequest, WorkerResponse } from './messages.ts'

export type Placed = {
  /** '' without a device in the middle. */
  readonly focus: string
  readonly view: Picture
  readonly graph: Graph
  readonly positions: Float32Array
  /** False while the simulation computes the final positions. */
  readonly isSettled: boolean
  /** Changes with the graph. */
  readonly seq: number
}

const toError = ({ status, body, retryAfter }: WorkerResponse & { type: 'failed' }): AppError => {
  if (status === 0) noteFailure()
  else {
    const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
    noteAnswer('/api/relationships', new Response(null, { status, ...(headers ? { headers } : {}) }))
  }
  return buildError(status, body, 'The server')
}

type State = { readonly placed?: Placed | undefined; readonly error?: AppError | undefined }

/** Sequence numbers across all workers, so that a late response of an earlier worker is ignored. */
let seq = 0

/** @param query the same object until the question is another */
export const useGraph = (
  query: GraphQuery | SwitchQuery | AffectedQuery | undefined,
): State & { readonly retry: () => void } => {
  const isCabled = useIsInUse('cables')
  const hasCables = usePermit().may('cables:list') && isCabled
  const [worker, setWorker] = useState<Worker>()
  const [state, setState] = useState<State>({})
  const [tries, setTries] = useState(0)
  const isWanted = query !== undefined
  useEffect(() => {
    if (!isWanted) return
    const started = startWorker('layout')
    setWorker(started)
    return () => started.terminate()
  }, [isWanted])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is the same question again
  useEffect(() => {
    if (!worker || !query) return
    const { view } = query
    const focus = 'focus' in query ? query.focus : ''
    const mine = ++seq
    const onMessage = ({ data }: MessageEvent<WorkerResponse>) => {
      if (data.seq !== mine) return
      if (data.type === 'failed') setState({ error: toError(data) })
      else if (data.type === 'graph')
        setState({
          placed: {
            focus,
            view,
            graph: data.graph,
            positions: data.positions,
            isSettled: view === 'impact',
            seq: mine,
          },
        })
      else
        setState(({ placed }) => (placed ? { placed: { ...placed, positions: data.positions, isSettled: true } } : {}))
    }
    worker.addEventListener('message', onMessage)
    const path = keepMoment('/api/relationships')
    const cablesPath = hasCables ? keepMoment('/api/cables') : undefined
    const ask: WorkerRequest = { type: 'graph', seq: mine, query, path, cablesPath }
    worker.postMessage(ask)
    return () => worker.removeEventListener('message', onMessage)
  }, [worker, query, hasCables, tries])
  return { ...state, retry: () => setTries((old) => old + 1) }
}
