/** The audit entries of an object. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import type { AuditEntry } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { Caller } from '../audit/caller.tsx'
import { usePermit } from '../shell/me.ts'
import { moment } from '../ui/format.ts'
import { Badge, Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import css from './history.module.css'

const MOST = 100

const pretty = (json: string): string => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    // Cut at 10 KB it is no JSON any more.
    return `${json}\n… cut`
  }
}

const Event = ({ entry }: { readonly entry: AuditEntry }) => (
  <li className={css.event}>
    <time dateTime={entry.timestamp} className="mono">
      {moment(entry.timestamp)}
    </time>
    <b>
      <Caller entry={entry} />
    </b>
    <span>
      {entry.action} {entry.status === 'failure' && <Badge tone="bad">refused</Badge>} {entry.error}
    </span>
    {entry.changes !== '' && entry.changes !== '{}' && (
      <details>
        <summary>Changes</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region is reachable by keys */}
        <pre className={`mono ${css.changes}`} tabIndex={0}>
          {pretty(entry.changes)}
        </pre>
      </details>
    )}
  </li>
)

const Nothing = () => {
  const { data } = useQuery(serverConfigQuery)
  if (data?.features.audit !== false) return <p className="muted">No entries.</p>
  return (
    <p className="muted">
      No entries: to record changes, start Plat with <code className="mono">AUDIT_ENABLED=true</code>.
    </p>
  )
}

type Props = {
  /** As the log calls it: `device`. */
  readonly resource: string
  readonly id: string
}

export const HistoryTab = ({ resource, id }: Props) => {
  const { may } = usePermit()
  const { data, error, refetch } = useQuery({
    queryKey: [resource, id, 'history'],
    queryFn: () => api.audit.list({ resource, resource_id: id, limit: MOST }),
    enabled: may('audit:list'),
  })
  if (!may('audit:list')) return <Failure error={new AppError('FORBIDDEN', 'This needs the permission audit:list')} />
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  return (
    <Card
      title={`The last ${MOST} entries`}
      actions={
        <Link to="/audit" search={{ resource, resource_id: id }} className="link">
          All in the audit log
        </Link>
      }
    >
      {!data && <Skeleton />}
      {data?.length === 0 && <Nothing />}
      <ol>
        {data?.map((entry) => (
          <Event key={entry.id} entry={entry} />
        ))}
      </ol>
    </Card>
  )
}
