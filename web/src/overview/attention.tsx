/** Items that need attention: conflicts, failing deliveries, pools that fill up, expiring keys, and the inbox. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Dashboard } from '../api/contracts.ts'
import { plural } from '../ui/format.ts'
import { Badge, Card, TimeAgo, type Tone } from '../ui/primitives.tsx'
import css from './overview.module.css'

/** The buckets of the inbox, with their descriptions. */
const WAITING = [
  ['conflict', 'bad', 'contradict an earlier scan'],
  ['new', 'info', 'discovered, and not documented yet'],
  ['changed', 'warn', 'documentation differs from the last scan'],
  ['gone', 'warn', 'documented, and no longer seen'],
] as const

const CONFLICTS = [
  ['duplicate_ip', 'address', 'addresses', 'of several devices'],
  ['overlapping_subnet', 'subnet', 'subnets', 'of several networks'],
] as const

type MatterProps = { readonly tone: Tone; readonly kind: string; readonly children: ReactNode }

const Matter = ({ tone, kind, children }: MatterProps) => (
  <li className={css.attention}>
    <Badge tone={tone}>{kind}</Badge>
    {children}
  </li>
)

const Conflicts = ({ conflicts }: Pick<Dashboard, 'conflicts'>) =>
  CONFLICTS.filter(([type]) => (conflicts?.[type] ?? 0) > 0).map(([type, one, many, text]) => (
    <Matter key={type} tone="bad" kind="conflict">
      <Link to="/conflicts" search={{ q: `type:${type}` }} className="link">
        {plural(conflicts?.[type] ?? 0, one, many)}
      </Link>
      {text}
    </Matter>
  ))

const Webhooks = ({ webhooks }: Pick<Dashboard, 'webhooks'>) =>
  (webhooks ?? []).map(({ id, name, disabled_reason, failed }) => (
    <Matter key={id} tone={disabled_reason === '' ? 'warn' : 'bad'} kind="webhook">
      <Link to="/webhooks/$id" params={{ id }} search={failed > 0 ? { status: 'failed' } : {}} className="link">
        {name}
      </Link>
      {disabled_reason === ''
        ? `did not receive ${plural(failed, 'event')} in 24 hours`
        : `is disabled: ${disabled_reason}`}
    </Matter>
  ))

const FullPools = ({ full_pools }: Pick<Dashboard, 'full_pools'>) => {
  const { count = 0, pools = [] } = full_pools ?? {}
  return (
    <>
      {pools.map(({ id, name, available_ips }) => (
        <Matter key={id} tone={available_ips === 0 ? 'bad' : 'warn'} kind="pool">
          <Link to="/pools/$id" params={{ id }} className="link">
            {name}
          </Link>
          has {plural(available_ips, 'free address', 'free addresses')}
        </Matter>
      ))}
      {count > pools.length && (
        <li className={css.attention}>
          <Link to="/pools" search={{ sort: 'utilization', desc: '1' }} className="link">
            and {plural(count - pools.length, 'other pool')}
          </Link>
        </li>
      )}
    </>
  )
}

const isNothing = ({ conflicts, webhooks, inbox, full_pools, ending_keys, credentials_sleep_at }: Dashboard): boolean =>
  credentials_sleep_at === undefined &&
  [...Object.values(conflicts ?? {}), ...Object.values(inbox ?? {}), full_pools?.count ?? 0].every((n) => n === 0) &&
  ending_keys.length + (webhooks?.length ?? 0) === 0

export const Attention = ({ dashboard }: { readonly dashboard: Dashboard }) => {
  const { inbox, running_scans, ending_keys, credentials_sleep_at: sleepsAt } = dashboard
  const running = running_scans ?? 0
  return (
    <Card title="Needs attention">
      {isNothing(dashboard) && (
        <p className="muted">Nothing. No pool is nearly full, and none of your keys expires soon.</p>
      )}
      <ul>
        {running > 0 && (
          <Matter tone="info" kind="scan">
            <Link to="/scans" className="link">
              {plural(running, 'scan')}
            </Link>
            {running === 1 ? 'runs' : 'run'} now
          </Matter>
        )}
        <Conflicts conflicts={dashboard.conflicts} />
        <Webhooks webhooks={dashboard.webhooks} />
        {WAITING.filter(([bucket]) => (inbox?.[bucket] ?? 0) > 0).map(([bucket, tone, text]) => (
          <Matter key={bucket} tone={tone} kind={bucket}>
            <Link to="/inbox" search={bucket === 'new' ? {} : { tab: bucket }} className="link">
              {plural(inbox?.[bucket] ?? 0, 'device')}
            </Link>
            {text}
          </Matter>
        ))}
        <FullPools full_pools={dashboard.full_pools} />
        {ending_keys.map(({ id, name, expires_at }) => (
          <Matter key={id} tone="warn" kind="key">
            <Link to="/account" className="link">
              {name}
            </Link>
            {Date.parse(expires_at) < Date.now() ? 'ended' : 'ends'} <TimeAgo at={expires_at} />
          </Matter>
        ))}
        {sleepsAt !== undefined && (
          <Matter tone="warn" kind="key">
            Your API keys and AI clients are refused <TimeAgo at={sleepsAt} />, until you sign in by single sign-on
          </Matter>
        )}
      </ul>
    </Card>
  )
}
