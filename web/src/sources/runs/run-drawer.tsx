/** One run of a source: its outcome, its counts, its warnings and its log. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PageLoading } from '../../shell/page-loading.tsx'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { formatCount, formatExactMoment, formatMoment, plural } from '../../ui/format.ts'
import { Drawer } from '../../ui/layers.tsx'
import { CopyText, Facts } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { ERROR_HELP, formatBytes, formatCounts, formatRead, formatTook, getResourceNoun, TRIGGERS } from '../labels.ts'
import { RunOutcome } from '../marks.tsx'
import { runQuery, type Source, type SourceRunWithLog } from '../queries.ts'
import css from '../sources.module.css'

type RunProps = { readonly run: SourceRunWithLog }

const Outcome = ({ run }: RunProps) => {
  const { error_code, message, change_id, product, read, requests, bytes, trigger } = run
  return (
    <section className={fieldCss.block}>
      <Facts
        facts={[
          ['Result', <RunOutcome key="result" run={run} />],
          ['Message', message],
          ['What helps', error_code !== '' && ERROR_HELP[error_code]],
          [
            'Change',
            change_id !== '' && (
              <Link key="change" to="/history/$id" params={{ id: change_id }} className="link">
                Show it in the history
              </Link>
            ),
          ],
          ['Read', formatRead(read)],
          ['System', product],
          ['Begun', TRIGGERS[trigger]],
          ['Took', formatTook(run)],
          ['Requests', `${formatCount(requests)}, ${formatBytes(bytes)}`],
          ['ID', <CopyText key="id" text={run.id} label="ID" />],
        ]}
      />
    </section>
  )
}

const Counts = ({ run: { counts, result } }: RunProps) => {
  const all = Object.entries(counts).flatMap(([resource, some]) => {
    const text = formatCounts(some, result)
    return text === '' ? [] : [{ resource, text }]
  })
  if (all.length === 0) return null
  return (
    <section className={fieldCss.block}>
      <h3>Objects</h3>
      <Facts facts={all.map(({ resource, text }) => [`${getResourceNoun(resource)}s`, text])} />
    </section>
  )
}

const Left = ({ run: { left } }: RunProps) =>
  left.length === 0 ? null : (
    <section className={fieldCss.block}>
      <h3>Left there</h3>
      <ul className={css.lines}>
        {left.map(({ what, count, why }) => (
          <li key={`${what} ${why}`}>
            <span className="num">{formatCount(count)}</span> {what}: <span className="muted">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  )

const Warnings = ({ run: { warnings } }: RunProps) =>
  warnings.length === 0 ? null : (
    <section className={fieldCss.block}>
      <h3>{plural(warnings.length, 'warning')}</h3>
      <ul className={css.lines}>
        {warnings.map(({ message }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message may repeat
          <li key={at}>{message}</li>
        ))}
      </ul>
    </section>
  )

const Log = ({ run: { log } }: RunProps) =>
  log.length === 0 ? null : (
    <section className={fieldCss.block}>
      <h3>Log</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <ol className={css.log} tabIndex={0} aria-label="Log">
        {log.map(({ at, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added
          <li key={index}>
            <time dateTime={at}>{formatExactMoment(at).split(' ')[1]}</time> {text}
          </li>
        ))}
      </ol>
    </section>
  )

type Props = { readonly source: Source; readonly id: string; readonly onClose: () => void }

export const RunDrawer = ({ source, id, onClose }: Props) => {
  const { data, error, refetch } = useQuery(runQuery(source.id, id))
  const title = data?.started_at ? `Run of ${formatMoment(data.started_at)}` : 'Run'
  return (
    <Drawer title={title} onClose={onClose} isWide>
      <div className={fieldCss.body}>
        {!data && error && <Failure error={error} onRetry={() => void refetch()} noun="run" />}
        {!data && !error && <PageLoading />}
        {data && (
          <>
            <Outcome run={data} />
            <Counts run={data} />
            <Left run={data} />
            <Warnings run={data} />
            <Log run={data} />
          </>
        )}
      </div>
      <footer className={fieldCss.foot}>
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Drawer>
  )
}
