/** The course of an import: tried out first, then done, and at the end one stands before the rows. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ApplyResult, ImportQuery } from '../../../src/exchange/estate/api.ts'
import { queryClient } from '../api/queries.ts'
import { selectNext } from '../devices/imported.ts'
import { devices } from '../devices/window/device-list-client.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { type Batch, type ImportResult, type Progress, type SendOptions, sendBatch, sendDocument } from './send.ts'

export type Course = {
  readonly phase: 'idle' | 'checking' | 'importing'
  readonly progress: Progress | undefined
  /** The result of the last try. */
  readonly result: ImportResult | undefined
  /** The changes of a good try, of a file of few rows. */
  readonly plan: ApplyResult | undefined
  readonly error: unknown
}

const IDLE: Course = { phase: 'idle', progress: undefined, result: undefined, plan: undefined, error: undefined }

/** A file with more rows shows no old and new values: the plan lists 1,000 changes. */
const MAX_PLANNED_ROWS = 10_000

export const formatResult = ({ created, updated, unchanged }: ImportResult): string =>
  `${plural(created, 'new row')}, ${plural(updated, 'change')}, ${unchanged.toLocaleString('en-US')} unchanged`

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** @param empty the rule for empty values of rows */
export const useImport = (resource: ResourceName, empty: ImportQuery['empty']) => {
  const navigate = useNavigate()
  const [course, setCourse] = useState(IDLE)
  const abort = useRef(new AbortController())
  // Leaving the page cancels the import: the server rolls an unfinished one back.
  useEffect(() => () => abort.current.abort(), [])

  const land = async (rows: readonly ImportRow[], result: ImportResult): Promise<void> => {
    void queryClient.invalidateQueries()
    toast(`Imported ${plural(rows.length, 'row')}`, { description: formatResult(result) })
    if (resource === 'relationships') return navigate({ to: '/topology' })
    if (resource !== 'devices') return navigate({ to: `/${resource}` })
    await devices.reload()
    const called = rows.map(({ id, name }) => {
      const [ownId, ownName] = [toText(id), toText(name)]
      return { ...(ownId === undefined ? {} : { id: ownId }), ...(ownName === undefined ? {} : { name: ownName }) }
    })
    selectNext(await devices.markImported(called))
    await navigate({ to: '/devices', search: { q: 'in:import' } })
  }

  /** Returns the old and new values. An import treats some rows differently, so an error here says nothing of them. */
  const requestPlan = async (rows: readonly ImportRow[], options: SendOptions): Promise<ApplyResult | undefined> => {
    try {
      const { empty } = options
      return (await sendDocument({ [resource]: rows, atomic: false, lists: 'add', empty }, options)).result
    } catch (error) {
      if (options.signal.aborted) throw error
      return undefined
    }
  }

  /** @param onDone called once the rows are imported, before the page is left */
  const run = async (batch: Batch, isDryRun: boolean, onDone: () => void = () => {}): Promise<void> => {
    const { rows } = batch
    abort.current = new AbortController()
    const { signal } = abort.current
    setCourse({ ...IDLE, phase: isDryRun ? 'checking' : 'importing', progress: { done: 0, total: rows.length } })
    try {
      const onProgress = (progress: Progress) => setCourse((old) => ({ ...old, progress }))
      const options = { isDryRun, empty, onProgress, signal }
      const { result, plan: planned } = await sendBatch(batch, options)
      if (!isDryRun && result.failed === 0) {
        onDone()
        await land(rows, result)
      }
      const isPlanned = isDryRun && result.failed === 0 && rows.length <= MAX_PLANNED_ROWS
      const plan = planned ?? (isPlanned ? await requestPlan(rows, options) : undefined)
      setCourse({ ...IDLE, result, plan })
    } catch (error) {
      setCourse(signal.aborted ? IDLE : { ...IDLE, error })
    }
  }
  return {
    course,
    check: (batch: Batch) => void run(batch, true),
    load: (batch: Batch, onDone?: () => void) => void run(batch, false, onDone),
    cancel: () => abort.current.abort(),
    reset: () => setCourse(IDLE),
  }
}
