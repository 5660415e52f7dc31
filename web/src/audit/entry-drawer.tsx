/** One audit entry with all of its fields. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../api/contracts.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import fieldCss from '../ui/field.module.css'
import { Drawer } from '../ui/layers.tsx'
import { Badge, CopyText, Facts } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import css from './audit.module.css'
import { ChangesView } from './changes-view.tsx'
import { ObjectName } from './object-name.tsx'
import { entryQuery } from './queries.ts'

export const Status = ({ entry }: { readonly entry: AuditEntry }) =>
  entry.status === 'success' ? <Badge tone="ok">success</Badge> : <Badge tone="bad">failure</Badge>

/** Shown to the millisecond and with the time zone, because an entry is evidence. */
const exactly = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
})

const ObjectFact = ({ entry }: { readonly entry: AuditEntry }) => {
  const { resource, resource_id } = entry
  return (
    <span className={css.object}>
      {entry.object && <ObjectName entry={entry} />}
      <CopyText text={resource_id} label="ID" />
      <Link to="/audit" search={{ resource, resource_id }} className="link">
        Its history
      </Link>
    </span>
  )
}

const Owner = ({ entry: { key_owner_id, key_owner } }: { readonly entry: AuditEntry }) => (
  <span className={css.object}>
    <b>{key_owner}</b>
    <Link to="/audit" search={{ user: key_owner_id }} className="link">
      All by {key_owner}
    </Link>
  </span>
)

const Who = ({ entry: { user_id, username, key_owner_id } }: { readonly entry: AuditEntry }) => {
  if (user_id === '') return username === '' ? <span className="muted">unknown</span> : <>{username}, not let in</>
  return (
    <span className={css.object}>
      <b>{username}</b>
      {key_owner_id !== '' && <span className="muted">an API key</span>}
      <Link to="/audit" search={{ user: user_id }} className="link">
        All by {username}
      </Link>
    </span>
  )
}

const Detail = ({ entry }: { readonly entry: AuditEntry }) => (
  <div className={fieldCss.body}>
    {entry.error !== '' && (
      <p className={css.error}>
        <Status entry={entry} /> {entry.error}
      </p>
    )}
    <div className={css.facts}>
      <Facts
        facts={[
          [
            'When',
            <time key="at" dateTime={entry.timestamp}>
              {exactly.format(new Date(entry.timestamp))}
            </time>,
          ],
          ['Who', <Who key="who" entry={entry} />],
          ...(entry.key_owner_id === '' ? [] : [['Key owner', <Owner key="owner" entry={entry} />] as const]),
          ['Object', entry.resource_id === '' ? '' : <ObjectFact key="object" entry={entry} />],
          ['Status', <Status key="status" entry={entry} />],
          ['From', entry.ip_address === '' ? '' : <CopyText key="ip" text={entry.ip_address} label="address" />],
          [
            'API key',
            entry.key_id === '' ? (
              `none, ${entry.oauth_client === '' ? 'a session' : 'by OAuth'}`
            ) : (
              <CopyText key="key" text={entry.key_id} label="key ID" />
            ),
          ],
          // Shown only if a client acted for the user.
          ...(entry.oauth_client === '' ? [] : [['Client', entry.oauth_client] as const]),
          ...(entry.tool === ''
            ? []
            : [
                [
                  'Tool',
                  <code key="tool" className="mono">
                    {entry.tool}
                  </code>,
                ] as const,
              ]),
          ['Request', <CopyText key="request" text={entry.request_id} label="request ID" />],
          ['Entry', <CopyText key="id" text={entry.id} label="entry ID" />],
        ]}
      />
    </div>
    <section className={css.sent}>
      <h3>Changes</h3>
      <ChangesView entry={entry} />
    </section>
  </div>
)

type Props = {
  readonly id: string
  readonly known: AuditEntry | undefined
  /** True while the list is loading, which may contain the entry. */
  readonly isComing: boolean
  readonly onClose: () => void
}

export const EntryDrawer = ({ id, known, isComing, onClose }: Props) => {
  const { data, error, refetch } = useQuery({ ...entryQuery(id), enabled: known === undefined && !isComing })
  const entry = known ?? data
  const title = entry ? `${entry.action} ${entry.resource}` : 'Entry'
  return (
    <Drawer title={title} onClose={onClose}>
      {!entry && error && <Failure error={error} onRetry={() => void refetch()} noun="entry" />}
      {!entry && !error && <PageLoading />}
      {entry && <Detail entry={entry} />}
    </Drawer>
  )
}
