/** The differences between a scan and the completed one before it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount, plural } from '../../ui/format.ts'
import { Card, Skeleton } from '../../ui/primitives.tsx'
import { Failure, State } from '../../ui/states.tsx'
import { getDiscoveredName, getFieldName } from '../labels.ts'
import { scanDiffQuery } from '../queries.ts'
import css from '../scans.module.css'
import type { Scan, ScanChange } from '../shapes.ts'

const KINDS = [
  ['new', 'New'],
  ['changed', 'Changed'],
  ['gone', 'Gone'],
] as const satisfies readonly (readonly [ScanChange['kind'], string])[]

/** The most rows of one kind that are shown. */
const SHOWN = 200

const Change = ({ change }: { readonly change: ScanChange }) => (
  <li className={css.change}>
    <Link to="/discovered-devices" search={{ entry: change.discovered_id }} className={css.strong}>
      {getDiscoveredName(change)}
    </Link>
    <span className="mono muted">
      {change.hostname !== '' && change.ip} {change.mac_address}
    </span>
    {change.changes.length > 0 && (
      <ul className={css.changes}>
        {change.changes.map(({ field, before, after }) => (
          <li key={field}>
            <span className="muted">{getFieldName(field)}</span>
            <span className={css.values}>
              {before !== '' && <del>{before}</del>}
              {after === '' ? <span className="muted">nothing</span> : <ins>{after}</ins>}
            </span>
          </li>
        ))}
      </ul>
    )}
  </li>
)

export const ScanDifferences = ({ scan }: { readonly scan: Scan }) => {
  const isOver = scan.status === 'completed'
  const { data, error, refetch } = useQuery({ ...scanDiffQuery(scan.id), enabled: isOver })
  if (!isOver)
    return (
      <State
        title="There is nothing to compare yet"
        text={
          scan.status === 'running' || scan.status === 'pending'
            ? 'The differences are known when the scan is completed.'
            : 'Only a completed scan shows which devices are gone.'
        }
      />
    )
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  if (KINDS.every(([kind]) => data.counts[kind] === 0))
    return (
      <State
        title="Nothing differs"
        text={
          data.previous_scan_id === null
            ? 'This is the first scan of the network, and it found nothing.'
            : 'It found the same as the scan before.'
        }
      />
    )
  return (
    <>
      <p className="muted">
        {data.previous_scan_id === null ? (
          'The first completed scan of this network: all its devices are new.'
        ) : (
          <>
            Compared with{' '}
            <Link to="/scans/$id" params={{ id: data.previous_scan_id }} search={{}} className="link">
              the completed scan before it
            </Link>
            .
          </>
        )}
      </p>
      {KINDS.filter(([kind]) => data.counts[kind] > 0).map(([kind, text]) => (
        <Card key={kind} title={`${text} · ${formatCount(data.counts[kind])}`}>
          <ul className={css.changeList}>
            {data[kind].slice(0, SHOWN).map((change) => (
              <Change key={change.discovered_id} change={change} />
            ))}
          </ul>
          {data.counts[kind] > SHOWN && (
            <p className="muted">And {plural(data.counts[kind] - SHOWN, 'other')}; the API has all of them.</p>
          )}
        </Card>
      ))}
    </>
  )
}
