/** All reports, with the numbers of their findings. */
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { usePermitted } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { formatCount } from '../ui/format.ts'
import { Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { type ReportSummary, reportsQuery } from './queries.ts'
import css from './reports.module.css'

const Line = ({ report: { name, title, description, count } }: { readonly report: ReportSummary }) => (
  <li>
    <Link to="/reports/$id" params={{ id: name }} className={css.report}>
      <span className={css.count} data-none={count === 0 || undefined}>
        {formatCount(count)}
      </span>
      <span className={css.about}>
        <b>{title}</b>
        <span className="muted">{description}</span>
      </span>
    </Link>
  </li>
)

export const ReportsPage = () => {
  const { data, error, refetch } = usePermitted('reports:read', reportsQuery)
  const isClean = data?.every(({ count }) => count === 0)
  return (
    <>
      <PageHead />
      {!data && error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <PageBody>
          {!data && <Skeleton />}
          {isClean && (
            <p className={css.clean}>
              <CircleCheck size={16} aria-hidden="true" /> Nothing to do: no report has a finding.
            </p>
          )}
          <ul className={css.reports} aria-label="Reports">
            {data?.map((report) => (
              <Line key={report.name} report={report} />
            ))}
          </ul>
        </PageBody>
      )}
      <Hints
        hints={[
          [['g', 'o'], 'overview'],
          [['g', 'i'], 'inbox'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}
