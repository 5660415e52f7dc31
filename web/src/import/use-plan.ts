/** The plan of an estate document, and its apply. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { isCode } from '../api/errors.ts'
import { queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { withCapital } from '../history/labels.ts'
import { createUndo } from '../resource/object/undo.ts'
import { toast } from '../ui/toast.tsx'
import { type Progress, sendDocument } from './send.ts'

export type PlanCourse = {
  readonly phase: 'idle' | 'planning' | 'applying'
  readonly progress: Progress | undefined
  readonly plan: ApplyResult | undefined
  readonly error: unknown
}

const IDLE: PlanCourse = { phase: 'idle', progress: undefined, plan: undefined, error: undefined }

type Document = Readonly<Record<string, unknown>>

export const usePlan = () => {
  const navigate = useNavigate()
  const [course, setCourse] = useState(IDLE)
  const abort = useRef(new AbortController())
  // Leaving the page cancels the work: the server rolls it back.
  useEffect(() => () => abort.current.abort(), [])

  /** @param terms of an apply; a plan has none, so that it is made of the present state */
  const run = async (phase: 'planning' | 'applying', document: Document, terms: Document = {}): Promise<void> => {
    abort.current.abort()
    abort.current = new AbortController()
    const { signal } = abort.current
    setCourse((old) => ({ ...old, phase, progress: { done: 0, total: 0 }, error: undefined }))
    const onProgress = (progress: Progress) => setCourse((old) => (signal.aborted ? old : { ...old, progress }))
    try {
      const isDryRun = phase === 'planning'
      const { result, changeId } = await sendDocument({ ...document, ...terms }, { isDryRun, onProgress, signal })
      if (isDryRun) {
        setCourse({ ...IDLE, plan: result })
        return
      }
      void queryClient.invalidateQueries()
      if (devices.state.get().status !== 'idle') devices.load()
      toast('Imported', { description: `${withCapital(result.summary)}.`, ...createUndo([changeId]) })
      if (changeId !== undefined && result.errors.length === 0)
        await navigate({ to: '/history/$id', params: { id: changeId } })
      else setCourse({ ...IDLE, plan: result })
    } catch (error) {
      if (signal.aborted) return
      // Something was changed since the plan. The new plan shows it.
      if (isCode(error, 'PRECONDITION_FAILED')) await run('planning', document)
      setCourse((old) => ({ ...IDLE, plan: old.plan, error }))
    }
  }
  return {
    course,
    plan: (document: Document) => void run('planning', document),
    apply: (document: Document, terms: Document) => void run('applying', document, terms),
    cancel: () => {
      abort.current.abort()
      setCourse((old) => ({ ...IDLE, plan: old.plan }))
    },
  }
}
