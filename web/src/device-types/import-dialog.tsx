/** Imports device types from YAML files of the community library, and reports the fields that were left out. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { type Contracts, contracts, type Out } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Badge } from '../ui/primitives.tsx'
import css from './device-types.module.css'
import { deviceTypeResource } from './resource.tsx'
import { joinDocuments } from './yaml-files.ts'

type Report = Out<Contracts['deviceTypes']['import']>

const TONES = { created: 'ok', updated: 'info', unchanged: 'idle' } as const

const formatSummary = ({ created, updated, unchanged }: Report): string =>
  `${created} created, ${updated} updated, ${unchanged} unchanged.`

const ReportTable = ({ report }: { readonly report: Report }) => (
  <div className={css.report} role="status">
    <p>
      <b>{plural(report.device_types.length, 'device type')}</b>: {formatSummary(report)}
    </p>
    <ul className={css.imported}>
      {report.device_types.map(({ id, name, outcome, ignored }) => (
        <li key={id}>
          <span className={css.importedName}>{name}</span>
          <Badge tone={TONES[outcome]}>{outcome}</Badge>
          {ignored.length > 0 && <span className={css.ignored}>Left out: {ignored.join(', ')}</span>}
        </li>
      ))}
    </ul>
  </div>
)

const toMessage = (error: unknown): string => {
  const { details, message } = toAppError(error)
  return details[0]?.message ?? message
}

type Props = {
  /** Files that were dropped on the page. */
  readonly files: readonly File[]
  readonly onClose: () => void
}

export const ImportDialog = ({ files, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const run = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      const yaml = joinDocuments(await Promise.all(chosen.map((file) => file.text())))
      return await call(contracts.deviceTypes.import, { yaml })
    },
    onSuccess: (answer) => {
      const written = getWritten(answer)
      // The dialog shows the result of a write that is made.
      if (written.proposal !== undefined && !report('Imported device types', written)) return onClose()
      for (const key of [...deviceTypeResource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const read = (chosen: readonly File[]) => {
    if (chosen.length > 0) run.mutate(chosen)
  }
  const { mutate } = run
  useEffect(() => {
    if (files.length > 0) mutate(files)
  }, [files, mutate])
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    event.stopPropagation()
    setOver(false)
    read([...event.dataTransfer.files])
  }
  return (
    <Dialog title="Import device types" onClose={onClose} isWide>
      <div className={css.import}>
        <section
          aria-label="Files"
          className={css.drop}
          data-over={isOver || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          <FileUp size={22} aria-hidden="true" />
          <p>Drop YAML files of the community library here. All of them are imported, or none.</p>
          {/* A disabled button would lose the focus. */}
          <Button onClick={() => !run.isPending && input.current?.click()} aria-disabled={run.isPending}>
            {run.isPending ? 'Importing …' : 'Choose files'}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            multiple
            accept=".yaml,.yml"
            aria-label="YAML files"
            onChange={(event) => {
              const chosen = [...(event.target.files ?? [])]
              // The same file can be chosen again after an error.
              event.target.value = ''
              read(chosen)
            }}
          />
        </section>
        {run.isError && <Alert>{toMessage(run.error)}</Alert>}
        {run.data && <ReportTable report={run.data} />}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{run.data ? 'Done' : 'Cancel'}</Button>
      </DialogActions>
    </Dialog>
  )
}
