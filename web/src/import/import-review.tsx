/** Columns, rows and what the server says of them: from the first look to the import itself. */
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import { asAppError } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import type { ResourceName } from '../export/fields.ts'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, Checkbox } from '../ui/field.tsx'
import { count, plural } from '../ui/format.ts'
import css from './import.module.css'
import { keepMapping, keptMapping } from './kept-mapping.ts'
import { guessMapping, type Mapping, mapRows } from './mapping.ts'
import { MappingFile } from './mapping-file.tsx'
import { MappingGrid } from './mapping-grid.tsx'
import { type PreviewRow, PreviewTable, type Verdict } from './preview-table.tsx'
import { Progress } from './progress.tsx'
import type { Source } from './read.ts'
import type { ImportResult } from './send.ts'
import { type Course, resultText, useImport } from './use-import.ts'

const verdictOf = (at: number, problems: ReadonlyMap<number, string>, result: ImportResult | undefined): Verdict => {
  const refused = result?.errors.find(({ row }) => row === at + 1)
  if (refused) {
    const fields = refused.details.map(({ field, message }) => `${field}: ${message}`).join('; ')
    return { tone: 'bad', text: fields || refused.error }
  }
  const problem = problems.get(at)
  if (problem !== undefined && !result) return { tone: 'warn', text: problem }
  // Of very many mistakes the server names the first alone: then the others may be among the rest.
  return result && result.errors.length === result.failed
    ? { tone: 'ok', text: 'good' }
    : { tone: 'idle', text: 'not checked' }
}

const Outcome = ({ course, total }: { readonly course: Course; readonly total: number }) => {
  const { result, error } = course
  if (error !== undefined) return <Alert>{asAppError(error).message}</Alert>
  if (!result) return null
  if (result.failed === 0)
    return (
      <p role="status" className={css.good}>
        All {plural(total, 'row')} are good: {resultText(result)}. Nothing has been changed yet.
      </p>
    )
  const more = result.failed - result.errors.length
  const shown = more > 0 ? ` The first ${count(result.errors.length)} are marked; ${count(more)} more are not.` : ''
  return (
    <Alert>
      {plural(result.failed, 'row')} can’t be loaded. A file is imported whole or not at all.{shown}
    </Alert>
  )
}

type Props = { readonly resource: ResourceName; readonly source: Source; readonly onBack: () => void }

export const ImportReview = ({ resource, source, onBack }: Props) => {
  const { may, blocked } = usePermit()
  const { course, check, load, cancel, reset } = useImport(resource)
  const [mapping, setMapping] = useState<Mapping>(
    () => keptMapping(resource, source.columns) ?? guessMapping(resource, source.columns),
  )
  const [emptyClears, setEmptyClears] = useState(false)
  const [isBadOnly, setBadOnly] = useState(false)
  const ids = [useId(), useId()]
  const { data } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const datacenters = useMemo(() => new Map(data?.map(({ id, name }) => [name.toLowerCase(), id])), [data])
  const { rows, problems } = useMemo(
    () => mapRows(resource, source, { mapping, emptyClears, datacenters }),
    [resource, source, mapping, emptyClears, datacenters],
  )
  const { result, phase } = course
  const previews = useMemo(
    () => rows.map((row, at): PreviewRow => ({ number: at + 1, row, verdict: verdictOf(at, problems, result) })),
    [rows, problems, result],
  )
  const isBad = ({ verdict: { tone } }: PreviewRow) => tone === 'bad' || tone === 'warn'
  const bad = previews.filter(isBad)
  const fields = useMemo(() => mapping.filter((field) => field !== ''), [mapping])
  const isGood = result !== undefined && result.failed === 0
  const what = plural(rows.length, 'row')
  const lacking = blocked(`${resource}:create`) ?? blocked(`${resource}:update`)
  const map = (next: Mapping) =>
    change(() => {
      keepMapping(resource, source.columns, next)
      setMapping(next)
    })
  const change = (work: () => void) => {
    // The answer of the server was about other rows.
    reset()
    work()
  }
  return (
    <>
      <div className={tableCss.bar}>
        <b>
          {what} of {source.format} as {resource}
        </b>
        <Button onClick={onBack} disabled={phase !== 'idle'}>
          Start over
        </Button>
        {source.format === 'CSV' && (
          <label htmlFor={ids[0]} className={css.toggle}>
            <Checkbox
              id={ids[0]}
              checked={emptyClears}
              onChange={(event) => change(() => setEmptyClears(event.target.checked))}
            />
            Empty cells clear their field
          </label>
        )}
        {bad.length > 0 && (
          <label htmlFor={ids[1]} className={css.toggle}>
            <Checkbox id={ids[1]} checked={isBadOnly} onChange={(event) => setBadOnly(event.target.checked)} />
            Only the {plural(bad.length, 'row')} with errors
          </label>
        )}
        <span className={tableCss.end}>
          {phase !== 'idle' && (
            <Progress
              label={phase === 'checking' ? 'Checking' : 'Importing'}
              progress={course.progress}
              onCancel={cancel}
            />
          )}
          {phase === 'idle' && !isGood && (
            <Button look="primary" onClick={() => check(rows)} blocked={lacking} disabled={fields.length === 0}>
              Check {what}
            </Button>
          )}
          {phase === 'idle' && isGood && (
            <Button look="primary" onClick={() => load(rows)} blocked={lacking}>
              Import {what}
            </Button>
          )}
        </span>
      </div>
      <div className={css.head}>
        <Outcome course={course} total={rows.length} />
        <MappingGrid resource={resource} source={source} mapping={mapping} onChange={map} />
        {source.format === 'CSV' && (
          <MappingFile resource={resource} columns={source.columns} mapping={mapping} onChange={map} />
        )}
      </div>
      <PreviewTable rows={isBadOnly && bad.length > 0 ? bad : previews} fields={fields} />
    </>
  )
}
