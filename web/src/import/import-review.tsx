/** Columns, rows and what the server says of them: from the first look to the import itself. */
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import { listOriginRows } from '../../../src/base/sheets/locate.ts'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { toAppError } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import type { ResourceName } from '../export/fields.ts'
import { save } from '../export/save.ts'
import { usePermit } from '../shell/me.ts'
import { spacesQuery } from '../spaces/known-spaces.tsx'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, Checkbox } from '../ui/field.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { buildTable, describeError, formatBadRows, getFirstRow, type SourceTable } from './bad-rows.ts'
import css from './import.module.css'
import { keepMapping, loadMapping } from './kept-mapping.ts'
import { getCells, guessMapping, type MappedRows, type Mapping, mapRows } from './mapping.ts'
import { MappingFile } from './mapping-file.tsx'
import { MappingGrid } from './mapping-grid.tsx'
import { changeText } from './plan-table.tsx'
import { type PreviewRow, PreviewTable, type Verdict } from './preview-table.tsx'
import { Progress } from './progress.tsx'
import { type Source, withoutRows } from './read.ts'
import { useCustomColumns } from './use-custom-columns.ts'
import { type Course, formatResult, useImport } from './use-import.ts'

type Change = ApplyResult['changes'][number]

type Checked = Pick<Course, 'result'> & {
  readonly problems: ReadonlyMap<number, string>
  readonly origins: MappedRows['origins']
  readonly table: SourceTable | undefined
  /** The changes of a good try, by row. */
  readonly changes: ReadonlyMap<number, Change>
  readonly isPlanned: boolean
}

const getVerdict = (at: number, { problems, result, changes, isPlanned, origins, table }: Checked): Verdict => {
  const refused = result?.errors.find(({ row }) => row === at + 1)
  if (refused) {
    const fields = refused.details.map((one) => describeError(table, origins[at], one)).join('; ')
    return { tone: 'bad', text: fields || refused.error }
  }
  const problem = problems.get(at)
  if (problem !== undefined && !result) return { tone: 'warn', text: problem }
  const change = changes.get(at)
  if (change?.action === 'create') return { tone: 'ok', text: 'new' }
  if (change) return { tone: 'info', text: changeText(change.fields ?? {}) }
  if (isPlanned) return { tone: 'idle', text: 'unchanged' }
  // The server names only the first of very many mistakes: the others may be among the rest.
  return result && result.errors.length === result.failed
    ? { tone: 'ok', text: 'good' }
    : { tone: 'idle', text: 'not checked' }
}

type OutcomeProps = { readonly course: Course; readonly total: number; readonly rejected: number }

const Outcome = ({ course, total, rejected }: OutcomeProps) => {
  const { result, error } = course
  if (error !== undefined) return <Alert>{toAppError(error).message}</Alert>
  if (!result) return null
  const failed = result.failed + rejected
  if (failed === 0)
    return (
      <p role="status" className={css.good}>
        All {plural(total, 'row')} are good: {formatResult(result)}. Nothing has been changed yet.
      </p>
    )
  const more = result.failed - result.errors.length
  const shown =
    more > 0 ? ` The first ${formatCount(result.errors.length)} are marked; ${formatCount(more)} more are not.` : ''
  return (
    <Alert>
      {plural(failed, 'row')} can’t be loaded. A file is imported whole, or without its bad rows.{shown}
    </Alert>
  )
}

/** Names the sheet of a workbook that is read, and the other ones. */
const SheetNote = ({ sheet: { name, others } }: { readonly sheet: NonNullable<Source['sheet']> }) => (
  <p>
    The sheet “{name}” is read. Left:{' '}
    {others.map((one) => `“${one.name}”${one.isHidden ? ' (hidden)' : ''}`).join(', ')}.
  </p>
)

type Props = { readonly resource: ResourceName; readonly source: Source; readonly onBack: () => void }

export const ImportReview = ({ resource, source, onBack }: Props) => {
  const { may, blocked } = usePermit()
  const custom = useCustomColumns(resource)
  const [chosen, setMapping] = useState<Mapping | undefined>(() => loadMapping(resource, source.columns))
  // The custom fields may come after the file.
  const mapping = useMemo(
    () => chosen ?? guessMapping(resource, source.columns, custom, getCells(source)),
    [chosen, resource, source, custom],
  )
  const [emptyClears, setEmptyClears] = useState(false)
  const { course, check, load, cancel, reset } = useImport(resource, emptyClears ? 'clear' : 'keep')
  const [isBadOnly, setBadOnly] = useState(false)
  const ids = [useId(), useId()]
  const { data } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const datacenters = useMemo(() => new Map(data?.map(({ id, name }) => [name.toLowerCase(), id])), [data])
  const { data: spaces } = useQuery({ ...spacesQuery, enabled: may('spaces:list') && mapping.includes('space') })
  const known = useMemo(() => {
    const lists = [['datacenters', data] as const, ['spaces', spaces] as const]
    return new Map(
      lists.flatMap(([to, list]) => (list ? [[to, new Set(list.map(({ name }) => name.toLowerCase()))]] : [])),
    )
  }, [data, spaces])
  const mapped = useMemo(
    () => mapRows(resource, source, { mapping, emptyClears, datacenters, known }),
    [resource, source, mapping, emptyClears, datacenters, known],
  )
  const { rows, problems, origins, rejected, missing } = mapped
  const { result, plan, phase } = course
  const previews = useMemo(() => {
    const changes = new Map(plan?.changes.map((change) => [change.row ?? -1, change]))
    // A plan lists its first changes; without all of them an unlisted row may be changed, too.
    const isPlanned = plan !== undefined && plan.errors.length === 0 && plan.changes.length === plan.changes_total
    const judged = { problems, result, changes, isPlanned, origins, table: buildTable(source, mapping) }
    const unread = rejected.map(({ number, column, message }): PreviewRow => {
      const text = `${column === undefined ? '' : `${column}: `}${message} (${source.unit} ${number})`
      return { number, row: {}, verdict: { tone: 'bad', text } }
    })
    const read = rows.map(
      (row, at): PreviewRow => ({ number: getFirstRow(origins[at]), row, verdict: getVerdict(at, judged) }),
    )
    return [...unread, ...read].sort((a, b) => a.number - b.number)
  }, [rows, problems, result, plan, origins, rejected, source, mapping])
  const isBad = ({ verdict: { tone } }: PreviewRow) => tone === 'bad' || tone === 'warn'
  const bad = previews.filter(isBad)
  const fields = useMemo(() => mapping.filter((field) => field !== ''), [mapping])
  const isGood = result !== undefined && result.failed === 0 && rejected.length === 0
  const failed = new Set((result?.failed_rows ?? result?.errors.map(({ row }) => row) ?? []).map((row) => row - 1))
  const good = rows.filter((_, at) => !failed.has(at))
  const canSkip = result !== undefined && !isGood && good.length > 0
  /** Objects that only bad rows name are not made. */
  const findMissingOfGood = () => {
    const bad = new Set([...failed].flatMap((at) => listOriginRows(origins[at] ?? { rows: [], addresses: [] })))
    return mapRows(resource, withoutRows(source, bad), { mapping, emptyClears, datacenters, known }).missing
  }
  const skip = () =>
    load({ resource, rows: good, missing: findMissingOfGood() }, () => {
      const { ending, type, text } = formatBadRows(source, mapped, failed)
      save(`${source.name ?? resource}.bad.${ending}`, type, text)
    })
  const what = plural(rows.length + rejected.length, 'row')
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
        {source.format !== 'JSON' && (
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
            <Button
              look={canSkip ? undefined : 'primary'}
              onClick={() => check({ resource, rows, missing })}
              blocked={lacking}
              disabled={fields.length === 0}
            >
              Check {what}
            </Button>
          )}
          {phase === 'idle' && canSkip && (
            <Button
              look="primary"
              onClick={skip}
              blocked={lacking}
              title="Imports the good rows, and downloads a file with the bad ones"
            >
              Skip bad rows
            </Button>
          )}
          {phase === 'idle' && isGood && (
            <Button look="primary" onClick={() => load({ resource, rows, missing })} blocked={lacking}>
              Import {what}
            </Button>
          )}
        </span>
      </div>
      <div className={css.head}>
        {source.sheet && <SheetNote sheet={source.sheet} />}
        <Outcome course={course} total={rows.length} rejected={rejected.length} />
        <MappingGrid resource={resource} custom={custom} source={source} mapping={mapping} onChange={map} />
        {source.format !== 'JSON' && (
          <MappingFile resource={resource} custom={custom} columns={source.columns} mapping={mapping} onChange={map} />
        )}
      </div>
      <PreviewTable rows={isBadOnly && bad.length > 0 ? bad : previews} fields={fields} unit={source.unit} />
    </>
  )
}
