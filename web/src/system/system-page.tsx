/** The database: its servers with their roles and lag, and the instances of Plat that use it. */
import { api } from '../api/client.ts'
import type { DatabaseStatus } from '../api/contracts.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Badge, Card, Facts, Skeleton, TimeAgo, type Tone } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { formatDuration, formatSize } from './measures.ts'
import css from './system.module.css'
import { WarningsCard } from './warnings-card.tsx'

/** While the page is shown; a hidden one asks nothing. */
const EVERY_MS = 5000

type Host = DatabaseStatus['hosts'][number]
type Instance = DatabaseStatus['instances'][number]

const ENGINES = { postgres: 'PostgreSQL', sqlite: 'SQLite' } as const
const ROLES: Readonly<Record<Host['role'], readonly [tone: Tone, text: string]>> = {
  primary: ['ok', 'primary'],
  standby: ['info', 'standby'],
  away: ['bad', 'does not answer'],
  foreign: ['bad', 'not used'],
}

const describeCommits = (wait: boolean): string =>
  wait
    ? 'wait for a standby, so that its promotion loses none'
    : 'do not wait for a standby, so that its promotion may lose the last ones'

const DatabaseCard = ({ status }: { readonly status: DatabaseStatus }) => {
  const { engine, version, size_bytes, primary, timeline, reads, commits_wait } = status
  const facts: [string, string][] = [
    ['Engine', `${ENGINES[engine]} ${version}`],
    ['Size', formatSize(size_bytes)],
  ]
  if (engine === 'postgres')
    facts.push(
      ['Primary', primary],
      ['Timeline', timeline === null ? '' : formatCount(timeline)],
      ['Reads', reads === 'standbys' ? 'standbys that have all commits, or the primary' : 'the primary'],
      ['Commits', commits_wait === null ? '' : describeCommits(commits_wait)],
    )
  return (
    <Card title="Database">
      <Facts facts={facts} />
    </Card>
  )
}

const HostRow = ({ of }: { readonly of: Host }) => {
  const [tone, text] = ROLES[of.role]
  return (
    <tr>
      <td className="mono">{of.host}</td>
      <td>
        <Badge tone={tone}>{text}</Badge>
      </td>
      <td data-number>{of.lag_bytes === null ? '–' : formatSize(of.lag_bytes)}</td>
      <td data-number>{of.lag_ms === null ? '–' : formatDuration(of.lag_ms)}</td>
      <td data-number>{formatCount(of.answers)}</td>
      <td className={css.message}>{of.message}</td>
    </tr>
  )
}

const InstanceRow = ({ of }: { readonly of: Instance }) => (
  <tr>
    <td>
      <span className="mono">{of.name}</span> {of.is_this && <Badge tone="ok">this one</Badge>}
    </td>
    <td>{of.version || 'older'}</td>
    <td className="mono">{of.address || '–'}</td>
    <td>{of.since === null ? '–' : <TimeAgo at={of.since} />}</td>
  </tr>
)

const Content = ({ status }: { readonly status: DatabaseStatus }) => (
  <>
    <DatabaseCard status={status} />
    <Card title={plural(status.hosts.length, 'host')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className={css.scroll} aria-label="Hosts" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Host</th>
              <th scope="col">Role</th>
              <th scope="col" data-number>
                Behind
              </th>
              <th scope="col" data-number>
                Last commit
              </th>
              <th scope="col" data-number>
                Reads answered
              </th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {status.hosts.map((host) => (
              <HostRow key={host.host} of={host} />
            ))}
          </tbody>
        </table>
      </section>
    </Card>
    <Card title={plural(status.instances.length, 'instance')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className={css.scroll} aria-label="Instances" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Instance</th>
              <th scope="col">Version</th>
              <th scope="col">Address</th>
              <th scope="col">Connected</th>
            </tr>
          </thead>
          <tbody>
            {status.instances.map((instance) => (
              <InstanceRow key={`${instance.name} ${instance.address}`} of={instance} />
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  </>
)

export const SystemPage = () => {
  const { data, error, refetch } = usePermitted('metrics:read', {
    queryKey: ['database'],
    queryFn: () => api.database.status(),
    refetchInterval: EVERY_MS,
  })
  const { may } = usePermit()
  return (
    <>
      <PageHead />
      <PageBody>
        {data && <Content status={data} />}
        {data && may('users:update') && <WarningsCard />}
        {!data && error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton />}
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
