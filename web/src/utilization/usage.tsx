/** The utilization of a network or pool by day, with a forecast. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { UtilizationHistory } from '../api/contracts.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, formatPercent } from '../ui/format.ts'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { computeChart, HEIGHT, WIDTH } from './chart.ts'
import { formatForecast } from './labels.ts'
import css from './usage.module.css'

const PERIODS = [
  [30, '30 days'],
  [90, '90 days'],
  [365, 'A year'],
  [730, 'Two years'],
] as const
const DEFAULT_DAYS = 90

const Picture = ({ history }: { readonly history: UtilizationHistory }) => {
  const { top, isWhole, line, area, ahead, end } = computeChart(history)
  const [first, last] = [history.samples[0], history.samples.at(-1)]
  if (!first || !last) return null
  const isPoint = history.samples.length === 1
  return (
    <figure className={css.figure}>
      <p className={css.scale}>
        {formatCount(top)} {isWhole ? 'addresses in total' : 'addresses'}
      </p>
      <svg
        className={css.picture}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`From ${formatCount(first.used_ips)} on ${first.day} to ${formatCount(last.used_ips)} on ${last.day}`}
      >
        <polygon points={area} className={css.area} />
        <polyline points={line} className={css.line} />
        {ahead !== '' && <polyline points={ahead} className={css.ahead} />}
        {isPoint && <circle cx={2} cy={line.split(',')[1]} r={3} className={css.point} />}
      </svg>
      <p className={css.days}>
        <time dateTime={first.day}>{first.day}</time>
        {!isPoint && (
          <time dateTime={last.day} className={css.last} style={{ width: `${(end / WIDTH) * 100}%` }}>
            {last.day}
          </time>
        )}
        {ahead !== '' && <span>forecast</span>}
      </p>
    </figure>
  )
}

const Days = ({ history }: { readonly history: UtilizationHistory }) => (
  <details>
    <summary>Day by day</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
    <div className={css.days} data-scrolls tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">In use</th>
            <th scope="col">Of</th>
            <th scope="col">Utilization</th>
          </tr>
        </thead>
        <tbody>
          {history.samples.toReversed().map(({ day, used_ips, total_ips, utilization }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{formatCount(used_ips)}</td>
              <td>{formatCount(total_ips)}</td>
              <td>{formatPercent(utilization)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)

type Props = { readonly of: 'network' | 'pool'; readonly id: string }

export const Usage = ({ of, id }: Props) => {
  const { search, set } = usePageSearch()
  const days = PERIODS.find(([one]) => String(one) === search.days)?.[0] ?? DEFAULT_DAYS
  const { data, error, refetch } = useQuery({
    queryKey: [of, id, 'utilization', days],
    queryFn: () => (of === 'network' ? api.utilization.ofNetwork({ id, days }) : api.utilization.ofPool({ id, days })),
    placeholderData: keepPreviousData,
  })
  const last = data?.samples.at(-1)
  return (
    <Card title="In use over time">
      <fieldset className={css.periods}>
        <legend className="sr">Period</legend>
        {PERIODS.map(([one, text]) => (
          <Button
            key={one}
            aria-pressed={one === days}
            onClick={() => void set({ days: one === DEFAULT_DAYS ? undefined : String(one) }, { isReplace: true })}
          >
            {text}
          </Button>
        ))}
      </fieldset>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <p>
            {last && (
              <>
                <b>
                  {formatCount(last.used_ips)} of {formatCount(last.total_ips)}
                </b>{' '}
                ({formatPercent(last.utilization)}) on {last.day}.{' '}
              </>
            )}
            {formatForecast(data)}
          </p>
          <Picture history={data} />
          {last && <Days history={data} />}
        </>
      )}
    </Card>
  )
}
