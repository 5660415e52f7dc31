/** The plan of an estate document, and its apply. */
import { useEffect, useRef, useState } from 'react'
import type { ApplyResult } from '../../../../src/exchange/estate/api.ts'
import { isCode } from '../../api/errors.ts'
import { queryClient } from '../../api/queries.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { type Applied, type Progress, sendDocument } from '../send.ts'

export type PlanCourse = {
  readonly phase: 'idle' | 'planning' | 'applying'
  readonly progress: Progress | undefined
  readonly plan: ApplyResult | undefined
  readonly error: unknown
}

const IDLE: PlanCourse = { phase: 'idle', progress: undefined, plan: undefined, error: undefined }

type Document = Readonly<Record<string, unknown>>

type Import = {
  readonly document: Document
  /** The plan of this document; undefined if it is a part of the one that was planned. */
  readonly expect: string | undefined
  /** Called with the errors of a part that would be refused. */
  readonly onRefused: (plan: ApplyResult) => void
  readonly onDone: (applied: Applied) => void
}

export const usePlan = () => {
  const [course, setCourse] = useState(IDLE)
  const abort = useRef(new AbortController())
  // Leaving the page cancels the work: the server rolls it back.
  useEffect(() => () => abort.current.abort(), [])

  const begin = (phase: PlanCourse['phase']) => {
    abort.current.abort()
    abort.current = new AbortController()
    const { signal } = abort.current
    setCourse((old) => ({ ...old, phase, progress: { done: 0, total: 0 }, error: undefined }))
    const onProgress = (progress: Progress) => setCourse((old) => (signal.aborted ? old : { ...old, progress }))
    return { signal, onProgress }
  }
  const fail = (signal: AbortSignal, error: unknown) => {
    if (!signal.aborted) setCourse((old) => ({ ...IDLE, plan: old.plan, error }))
  }

  const plan = async (document: Document, cause?: unknown): Promise<void> => {
    const { signal, onProgress } = begin('planning')
    try {
      const { result } = await sendDocument({ ...document, atomic: false }, { isDryRun: true, onProgress, signal })
      setCourse({ ...IDLE, plan: result, error: cause })
    } catch (error) {
      fail(signal, error)
    }
  }

  /** A part of the planned rows is planned first: a row may need another one that is left out. */
  const apply = async ({ document, expect, onRefused, onDone }: Import, whole: Document): Promise<void> => {
    const { signal, onProgress } = begin('applying')
    try {
      let fingerprint = expect
      if (fingerprint === undefined) {
        const options = { isDryRun: true, onProgress, signal }
        const { result } = await sendDocument({ ...document, atomic: false }, options)
        if (result.errors.length > 0) {
          setCourse((old) => ({ ...IDLE, plan: old.plan }))
          return onRefused(result)
        }
        fingerprint = result.fingerprint
      }
      const terms = { atomic: true, expect: fingerprint }
      const applied = await sendDocument({ ...document, ...terms }, { isDryRun: false, onProgress, signal })
      void queryClient.invalidateQueries()
      if (devices.state.get().status !== 'idle') devices.load()
      onDone(applied)
    } catch (error) {
      // Something was changed since the plan. The new plan shows it.
      if (!signal.aborted && isCode(error, 'PRECONDITION_FAILED')) await plan(whole, error)
      else fail(signal, error)
    }
  }
  return {
    course,
    plan: (document: Document) => void plan(document),
    apply: (given: Import, whole: Document) => void apply(given, whole),
    cancel: () => {
      abort.current.abort()
      setCourse((old) => ({ ...IDLE, plan: old.plan }))
    },
  }
}
