/** A converted file before its import: the objects that were read, their places in Plat, the rest, and the plan. */
import { Download } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApplyResult } from '../../../src/exchange/estate/api.ts'
import { toAppError } from '../api/errors.ts'
import { save } from '../export/save.ts'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { formatCount, plural } from '../ui/format.ts'
import type { Conversion } from './convert.ts'
import css from './import.module.css'
import { PlanTable } from './plan-table.tsx'
import { Progress } from './progress.tsx'
import { usePlan } from './use-plan.ts'

type Entry = { readonly text: string; readonly count: number; readonly why?: string }

const Part = ({ title, entries, children }: { title: string; entries: readonly Entry[]; children?: ReactNode }) => (
  <section className={css.part}>
    <h2>
      {title} {children}
    </h2>
    {entries.length === 0 && <p className="muted">nothing</p>}
    <ul>
      {entries.map(({ text, count: n, why }) => (
        <li key={`${text} ${why}`}>
          <span className="num">{formatCount(n)}</span> <span className="mono">{text}</span>
          {why !== undefined && <span className="muted"> {why}</span>}
        </li>
      ))}
    </ul>
  </section>
)

const toEntries = (counts: Readonly<Record<string, number>>): Entry[] =>
  Object.entries(counts).map(([text, n]) => ({ text, count: n }))

const Report = ({ conversion }: { readonly conversion: Conversion }) => {
  const { report, leftover = {}, format } = conversion
  const { read, made, described, left, warnings } = report
  const download = () => save(`${format}-left.json`, 'application/json', `${JSON.stringify(leftover, undefined, 2)}\n`)
  return (
    <div className={css.report}>
      <Part title="Read" entries={toEntries(read)} />
      <Part title="Becomes" entries={toEntries(made)} />
      <Part
        title="Lines of descriptions"
        entries={described.map(({ field, count: n }) => ({ text: field, count: n }))}
      />
      <Part title="Left" entries={left.map(({ what, count: n, why }) => ({ text: what, count: n, why }))}>
        {Object.keys(leftover).length > 0 && (
          <Button onClick={download}>
            <Download size={14} aria-hidden="true" />
            Download what is left
          </Button>
        )}
      </Part>
      {warnings.length > 0 && (
        <Alert isWarning>
          {warnings.map(({ message }) => (
            <span key={message}>{message}</span>
          ))}
        </Alert>
      )}
    </div>
  )
}

const formatOutcome = ({ summary, changed, changes_total: total, changes, errors, extra }: ApplyResult): string[] => {
  const more = total - changes.length
  return [
    changed ? `The import ${summary}. Nothing has been changed yet.` : 'There is nothing to do.',
    ...(more > 0
      ? [`The first ${formatCount(changes.length)} changes are listed; ${formatCount(more)} more are not.`]
      : []),
    ...(errors.length > 0 ? [`${plural(errors.length, 'row')} can’t be imported.`] : []),
    ...Object.entries(extra).map(
      ([resource, n]) => `${formatCount(n)} ${resource} of the same owner are not in the source, and stay.`,
    ),
  ]
}

type Props = { readonly name: string; readonly conversion: Conversion; readonly onBack: () => void }

export const ConvertedReview = ({ name, conversion, onBack }: Props) => {
  const { blocked } = usePermit()
  const { course, plan, apply, cancel } = usePlan()
  const { documents, format } = conversion
  const [owner, setOwner] = useState('')
  const { phase, plan: planned, error } = course
  const document = { ...documents, managed_by: owner.trim(), atomic: false }
  // The first plan is made at once, and a later one when its owner is confirmed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the conversion of this page stays the same
  useEffect(() => plan(document), [])
  const rows = Object.values(documents).reduce((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
  const failed = planned?.errors.length ?? 0
  const lacking = planned?.lacking?.[0] === undefined ? undefined : blocked(planned.lacking[0])
  const isCurrent = planned !== undefined && phase === 'idle'
  const go = () => apply(document, { atomic: failed === 0, expect: planned?.fingerprint })
  const download = async () => {
    const { stringify } = await import('yaml')
    save(`${format}.yaml`, 'application/yaml', stringify(documents, { lineWidth: 0, aliasDuplicateObjects: false }))
  }
  return (
    <>
      <div className={tableCss.bar}>
        <b>
          {plural(rows, 'row')} of {name}, read as {format}
        </b>
        <Button onClick={onBack} disabled={phase === 'applying'}>
          Start over
        </Button>
        <Button onClick={() => void download()}>
          <Download size={14} aria-hidden="true" />
          Download as YAML
        </Button>
        <span className={tableCss.end}>
          {phase !== 'idle' && (
            <Progress
              label={phase === 'planning' ? 'Checking' : 'Importing'}
              progress={course.progress}
              onCancel={cancel}
            />
          )}
          {phase === 'idle' && !planned && (
            <Button look="primary" onClick={() => plan(document)}>
              Check {plural(rows, 'row')}
            </Button>
          )}
          {isCurrent && planned.changed && (
            <Button look="primary" onClick={go} blocked={lacking}>
              {failed > 0 ? 'Import what is good' : 'Import'}
            </Button>
          )}
        </span>
      </div>
      <div className={css.head}>
        {error !== undefined && <Alert>{toAppError(error).message}</Alert>}
        {planned && (
          <p role="status" className={failed > 0 ? css.bad : css.good}>
            {formatOutcome(planned).join(' ')}
          </p>
        )}
        <form
          className={css.owner}
          onSubmit={(event) => {
            event.preventDefault()
            plan(document)
          }}
        >
          <TextField
            label="Managed by"
            hint="The owner of these objects, if they are imported again and again. Empty for none."
            value={owner}
            onChange={setOwner}
            disabled={phase !== 'idle'}
          />
          <Button type="submit" disabled={phase !== 'idle'}>
            Check again
          </Button>
        </form>
        <Report conversion={conversion} />
      </div>
      {planned && <PlanTable plan={planned} />}
    </>
  )
}
