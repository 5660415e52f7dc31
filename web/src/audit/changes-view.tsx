/** The fields of a change, each with its previous value. Redacted secrets and truncated changes are marked. */
import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { formatMoment } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import css from './audit.module.css'
import { type Change, formatValue, hasRedaction, listChanges, parseSent, REDACTED } from './changes.ts'
import { olderQuery } from './queries.ts'

const Value = ({ value }: { readonly value: unknown }) => {
  if (value === REDACTED) return <Badge tone="warn">redacted</Badge>
  if (value === '' || value === null) return <span className="muted">empty</span>
  return <span className={css.value}>{formatValue(value)}</span>
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const Field = ({ change: { name, after, before } }: { readonly change: Change }) => {
  const isKept = before !== undefined && isSame(before.value, after) && after !== REDACTED
  return (
    <div className={css.change}>
      <dt className="mono">{name}</dt>
      {before !== undefined && !isKept && (
        <dd className={css.before} title={`Sent at ${formatMoment(before.at)}`}>
          <span aria-hidden="true">−</span>
          <span className="sr">Before: </span>
          <Value value={before.value} />
        </dd>
      )}
      <dd className={isKept ? css.kept : css.after}>
        <span aria-hidden="true">{isKept ? '=' : '+'}</span>
        <span className="sr">{isKept ? 'The same as before: ' : 'Sent: '}</span>
        <Value value={after} />
      </dd>
    </div>
  )
}

const Raw = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
  <pre className={`mono ${css.raw}`} tabIndex={0}>
    {text}
  </pre>
)

export const ChangesView = ({ entry }: { readonly entry: AuditEntry }) => {
  const { may } = usePermit()
  const sent = parseSent(entry.changes)
  const older = olderQuery(entry)
  const isUpdate = entry.action === 'update' && sent.kind === 'fields'
  const { data = [] } = useQuery({ ...older, enabled: older.enabled === true && isUpdate && may('audit:list') })
  if (sent.kind === 'nothing') return <p className="muted">The request had no body.</p>
  if (sent.kind === 'cut')
    return (
      <>
        <p className={css.cut}>
          <Badge tone="warn">truncated</Badge> The log stores at most 10 KB of a change. The rest of this one is
          missing.
        </p>
        <Raw text={sent.text} />
      </>
    )
  if (sent.kind === 'value') return <Raw text={JSON.stringify(sent.value, null, 2)} />
  const changes = listChanges(sent.fields, data)
  const hasBefore = changes.some(({ before }) => before !== undefined)
  return (
    <>
      <dl className={css.changes}>
        {changes.map((change) => (
          <Field key={change.name} change={change} />
        ))}
      </dl>
      {hasRedaction(sent.fields) && <p className={css.note}>Secrets are never recorded.</p>}
      {hasBefore && <p className={css.note}>Previous values come from earlier entries of the log.</p>}
    </>
  )
}
