/** What needs the user: each item with its number and the names of its first objects, worst first. */
import { Link } from '@tanstack/react-router'
import type { Dashboard } from '../api/contracts.ts'
import { buildObjectLink, findItem } from '../shell/nav.ts'
import { formatCount } from '../ui/format.ts'
import { Badge, TimeAgo, type Tone } from '../ui/primitives.tsx'
import css from './overview.module.css'

type Item = Dashboard['attention'][number]
type Kind = Item['kind']
type NamedObject = Item['objects'][number]

type Words = {
  readonly badge: string
  /** After the number: of one, and of several. */
  readonly one: string
  readonly many: string
  /** The list of all of them. */
  readonly all: { readonly to: string; readonly search?: Readonly<Record<string, string>> }
}

const CONFLICTS = '/conflicts'
const INBOX = '/inbox'

const WORDS: Readonly<Record<Kind, Words>> = {
  'conflict.duplicate_ip': {
    badge: 'conflict',
    one: 'address has several devices',
    many: 'addresses have several devices',
    all: { to: CONFLICTS, search: { q: 'type:duplicate_ip' } },
  },
  'conflict.overlapping_subnet': {
    badge: 'conflict',
    one: 'subnet is of several networks',
    many: 'subnets are of several networks',
    all: { to: CONFLICTS, search: { q: 'type:overlapping_subnet' } },
  },
  'network.full': {
    badge: 'network',
    one: 'network is nearly full',
    many: 'networks are nearly full',
    all: { to: '/networks', search: { sort: 'used', desc: '1' } },
  },
  'pool.full': {
    badge: 'pool',
    one: 'pool is nearly full',
    many: 'pools are nearly full',
    all: { to: '/pools', search: { sort: 'utilization', desc: '1' } },
  },
  'webhook.disabled': {
    badge: 'webhook',
    one: 'webhook is disabled',
    many: 'webhooks are disabled',
    all: { to: '/webhooks' },
  },
  'webhook.failing': {
    badge: 'webhook',
    one: 'webhook did not receive events',
    many: 'webhooks did not receive events',
    all: { to: '/webhooks' },
  },
  'dns.attention': {
    badge: 'DNS',
    one: 'zone differs from its servers, or is not sent',
    many: 'zones differ from their servers, or are not sent',
    all: { to: '/dns' },
  },
  'scan.failed': {
    badge: 'scan',
    one: 'network was not scanned: its last scan failed',
    many: 'networks were not scanned: their last scans failed',
    all: { to: '/scans', search: { q: 'status:failed' } },
  },
  'inbox.gone': {
    badge: 'gone',
    one: 'documented device is no longer seen',
    many: 'documented devices are no longer seen',
    all: { to: INBOX, search: { tab: 'gone' } },
  },
  'inbox.changed': {
    badge: 'changed',
    one: 'device differs from its documentation',
    many: 'devices differ from their documentation',
    all: { to: INBOX, search: { tab: 'changed' } },
  },
  'inbox.conflict': {
    badge: 'contradictory',
    one: 'device contradicts an earlier scan',
    many: 'devices contradict an earlier scan',
    all: { to: INBOX, search: { tab: 'conflict' } },
  },
  'inbox.new': {
    badge: 'new',
    one: 'device is discovered and not documented',
    many: 'devices are discovered and not documented',
    all: { to: INBOX },
  },
  'key.ending': {
    badge: 'key',
    one: 'of your API keys ends soon',
    many: 'of your API keys end soon',
    all: { to: '/account' },
  },
  'credentials.sleeping': { badge: 'key', one: '', many: '', all: { to: '/account' } },
  'scan.running': { badge: 'scan', one: 'scan runs now', many: 'scans run now', all: { to: '/scans' } },
}

const TONES: Readonly<Record<Item['severity'], Tone>> = { critical: 'bad', warning: 'warn', info: 'info' }

type NameProps = { readonly kind: Kind; readonly object: NamedObject }

const Name = ({ kind, object: { type, id, name, note } }: NameProps) => {
  const { all } = WORDS[kind]
  const page = findItem(type)
  // Discovered devices are documented in the inbox.
  const link =
    type === 'discovered_device'
      ? { to: INBOX, search: { ...all.search, entry: id } }
      : page && type !== 'key'
        ? buildObjectLink(page, id)
        : all
  return (
    <>
      {/* The paths are of the menu. */}
      <Link {...(link as { to: '/' })} className="link" title={note}>
        {name}
      </Link>
      {kind === 'key.ending' && (
        <>
          {' '}
          <TimeAgo at={note} />
        </>
      )}
      {(kind === 'network.full' || kind === 'pool.full') && <span className="muted"> {note}</span>}
    </>
  )
}

const Line = ({ item: { kind, severity, count, objects } }: { readonly item: Item }) => {
  const { badge, one, many, all } = WORDS[kind]
  const others = count - objects.length
  return (
    <li className={css.attention}>
      <Badge tone={TONES[severity]}>{badge}</Badge>
      {kind === 'credentials.sleeping' ? (
        <span>
          Your API keys and AI clients are refused <TimeAgo at={objects[0]?.note ?? ''} />, until you sign in by single
          sign-on
        </span>
      ) : (
        <span>
          <b>{formatCount(count)}</b> {count === 1 ? one : many}:{' '}
          {objects.map((object, at) => (
            <span key={object.id}>
              {at > 0 && ', '}
              <Name kind={kind} object={object} />
            </span>
          ))}
          {others > 0 && (
            <>
              {' and '}
              <Link {...(all as { to: '/' })} className="link">
                {formatCount(others)} more
              </Link>
            </>
          )}
        </span>
      )}
    </li>
  )
}

type Report = NonNullable<Dashboard['reports']>[number]

const ReportLine = ({ report: { name, title, count } }: { readonly report: Report }) => (
  <li className={css.attention}>
    <Badge tone="idle">report</Badge>
    <span>
      <b>{formatCount(count)}</b>{' '}
      <Link to="/reports/$id" params={{ id: name }} className="link">
        {title}
      </Link>
    </span>
  </li>
)

/** Networks in other places are not scanned then. */
const OfflineLine = ({ offline }: { readonly offline: number }) => (
  <li className={css.attention}>
    <Badge tone="warn">scanner</Badge>
    <span>
      <b>{formatCount(offline)}</b>{' '}
      <Link to="/scanners" search={{ q: 'status:offline' }} className="link">
        {offline === 1 ? 'scanner is offline' : 'scanners are offline'}
      </Link>
    </span>
  </li>
)

type Counted = NonNullable<Dashboard['sources']>

/** Worst first. */
const SOURCE_STATES: readonly (readonly [keyof Counted, Tone, one: string, many: string])[] = [
  ['failed', 'bad', 'source was not read: its last run failed', 'sources were not read: their last runs failed'],
  ['held', 'warn', 'source is held: too much is gone there', 'sources are held: too much is gone there'],
  ['waiting', 'info', 'source waits for you to review what differs', 'sources wait for you to review what differs'],
]

const SourceLines = ({ sources }: { readonly sources: Counted }) =>
  SOURCE_STATES.filter(([status]) => sources[status] > 0).map(([status, tone, one, many]) => (
    <li key={status} className={css.attention}>
      <Badge tone={tone}>source</Badge>
      <span>
        <b>{formatCount(sources[status])}</b>{' '}
        <Link to="/sources" search={{ q: `status:${status}` }} className="link">
          {sources[status] === 1 ? one : many}
        </Link>
      </span>
    </li>
  ))

const NO_SOURCES: Counted = { failed: 0, held: 0, waiting: 0 }

type Props = {
  readonly items: readonly Item[]
  readonly reports: readonly Report[]
  /** Null for a user who may not list them. */
  readonly scanners: Dashboard['scanners']
  /** Null for a user who may not list them. */
  readonly sources: Dashboard['sources']
}

export const Attention = ({ items, reports, scanners, sources: known }: Props) => {
  const sources = known ?? NO_SOURCES
  const found = reports.filter(({ count }) => count > 0)
  const offline = scanners?.offline ?? 0
  // An offline scanner is as bad as a warning.
  const others = items.filter(({ severity }) => severity === 'info')
  const urgent = items.filter((item) => !others.includes(item))
  const inTrouble = sources.failed + sources.held + sources.waiting
  return items.length + found.length + offline + inTrouble === 0 ? (
    <p className="muted">Nothing needs you.</p>
  ) : (
    <ul>
      {urgent.map((item) => (
        <Line key={item.kind} item={item} />
      ))}
      {offline > 0 && <OfflineLine offline={offline} />}
      <SourceLines sources={sources} />
      {others.map((item) => (
        <Line key={item.kind} item={item} />
      ))}
      {found.map((report) => (
        <ReportLine key={report.name} report={report} />
      ))}
    </ul>
  )
}
