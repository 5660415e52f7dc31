/** The course of an import: tried out first, then done, and at the end one stands before the rows. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { queryClient } from '../api/queries.ts'
import { selectNext } from '../devices/imported.ts'
import { devices } from '../devices/source.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'
import { plural } from '../ui/format.ts'
import { toast } from '../ui/toast.tsx'
import { type ImportResult, type Progress, sendRows } from './send.ts'

export type Course = {
  readonly phase: 'idle' | 'checking' | 'importing'
  readonly progress: Progress | undefined
  /** Of the last try. */
  readonly result: ImportResult | undefined
  readonly error: unknown
}

const IDLE: Course = { phase: 'idle', progress: undefined, result: undefined, error: undefined }

export const resultText = ({ created, updated, unchanged }: ImportResult): string =>
  `${plural(created, 'new row')}, ${plural(updated, 'change')}, ${unchanged.toLocaleString('en-US')} unchanged`

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const useImport = (resource: ResourceName) => {
  const navigate = useNavigate()
  const [course, setCourse] = useState(IDLE)
  const abort = useRef(new AbortController())
  // Leaving the page cancels the import: the server rolls an unfinished one back.
  useEffect(() => () => abort.current.abort(), [])

  const land = async (rows: readonly ImportRow[], result: ImportResult): Promise<void> => {
    void queryClient.invalidateQueries()
    toast(`Imported ${plural(rows.length, 'row')}`, { description: resultText(result) })
    if (resource === 'relationships') return navigate({ to: '/topology' })
    if (resource !== 'devices') return navigate({ to: `/${resource}` })
    await devices.reload()
    const called = rows.map(({ id, name }) => {
      const [ownId, ownName] = [textOf(id), textOf(name)]
      return { ...(ownId === undefined ? {} : { id: ownId }), ...(ownName === undefined ? {} : { name: ownName }) }
    })
    selectNext(await devices.mark(called))
    await navigate({ to: '/devices', search: { q: 'in:import' } })
  }

  const run = async (rows: readonly ImportRow[], isDryRun: boolean): Promise<void> => {
    abort.current = new AbortController()
    const { signal } = abort.current
    setCourse({ ...IDLE, phase: isDryRun ? 'checking' : 'importing', progress: { done: 0, total: rows.length } })
    try {
      const onProgress = (progress: Progress) => setCourse((old) => ({ ...old, progress }))
      const result = await sendRows(resource, rows, { isDryRun, onProgress, signal })
      if (!isDryRun && result.failed === 0) await land(rows, result)
      setCourse({ ...IDLE, result })
    } catch (error) {
      setCourse(signal.aborted ? IDLE : { ...IDLE, error })
    }
  }
  return {
    course,
    check: (rows: readonly ImportRow[]) => void run(rows, true),
    load: (rows: readonly ImportRow[]) => void run(rows, false),
    cancel: () => abort.current.abort(),
    reset: () => setCourse(IDLE),
  }
}
