/** The columns of the audit log. */
import { Link } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import type { AuditEntry } from '../api/contracts.ts'
import type { Column } from '../table/column.ts'
import { formatMoment } from '../ui/format.ts'
import css from './audit.module.css'
import { Caller } from './caller.tsx'
import { Status } from './entry-drawer.tsx'
import { ObjectName } from './object-name.tsx'

/** A phone has no room for the year. The page of the entry shows it. */
const When = ({ at }: { readonly at: string }) => {
  const text = `${formatMoment(at)}:${at.slice(17, 19)}`
  return (
    <>
      <span className={css.year}>{text.slice(0, 5)}</span>
      {text.slice(5)}
    </>
  )
}

/** Marks a failure also where the status column is hidden. */
const Action = ({ entry: { action, status } }: { readonly entry: AuditEntry }) => (
  <span className={css.failed}>
    {status === 'failure' && <CircleX size={13} className={css.phone} aria-label="failure" />}
    {action}
  </span>
)

const EntryLink = ({ entry }: { readonly entry: AuditEntry }) => (
  <Link to="." search={(old: object) => ({ ...old, entry: entry.id })} className="mono" tabIndex={-1}>
    <When at={entry.timestamp} />
  </Link>
)

export const AUDIT_COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'time', text: 'Time', width: 180, isEssential: true, cell: (entry) => <EntryLink entry={entry} /> },
  {
    id: 'user',
    text: 'User',
    width: 150,
    isEssential: true,
    cell: (entry) => <Caller entry={entry} />,
  },
  { id: 'action', text: 'Action', width: 110, isEssential: true, cell: (entry) => <Action entry={entry} /> },
  { id: 'resource', text: 'Resource', width: 120, isEssential: true, cell: ({ resource }) => resource },
  {
    id: 'object',
    text: 'Object',
    width: 285,
    cell: (entry) => <ObjectName entry={entry} tabIndex={-1} />,
  },
  { id: 'status', text: 'Status', width: 100, cell: (entry) => <Status entry={entry} /> },
  { id: 'error', text: 'Reason', width: 200, cell: ({ error }) => <span title={error}>{error}</span> },
  { id: 'ip', text: 'From', width: 125, cell: ({ ip_address }) => <span className="mono">{ip_address}</span> },
  { id: 'request', text: 'Request', width: 290, cell: ({ request_id }) => <span className="mono">{request_id}</span> },
]

export const AUDIT_DEFAULT_COLUMNS = ['time', 'user', 'action', 'resource', 'object', 'status', 'error', 'ip']
