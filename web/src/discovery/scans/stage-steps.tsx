/** The progress of a scan: its stages, the bar of the whole scan, and its figures. */
import { Check } from 'lucide-react'
import { withCapital } from '../../resource/facts/from-facts.ts'
import { formatCount } from '../../ui/format.ts'
import { Card } from '../../ui/primitives.tsx'
import { formatDuration, formatTimeLeft, formatWait, listStages } from '../labels.ts'
import { Progress, useNow } from '../marks.tsx'
import { isActive } from '../queries.ts'
import css from '../scans.module.css'
import type { Scan } from '../shapes.ts'
import startCss from '../start.module.css'

type StepState = 'done' | 'now' | 'ahead' | 'left out'

const STATE_TEXT: Readonly<Record<StepState, string>> = {
  done: 'done',
  now: 'running',
  ahead: 'to come',
  'left out': 'not reached',
}

const getState = (scan: Scan, index: number): StepState => {
  if (scan.status === 'completed') return 'done'
  const current = listStages(scan.scan_type).findIndex(([one]) => one === scan.stage)
  if (scan.status !== 'running') return scan.status === 'pending' ? 'ahead' : 'left out'
  return index < current ? 'done' : index === current ? 'now' : 'ahead'
}

const listFigures = (scan: Scan, nowMs: number): readonly (readonly [string, string])[] => [
  ['Addresses', formatCount(scan.total_hosts)],
  ['Probed', formatCount(scan.scanned_hosts)],
  ['Hosts found', formatCount(scan.found_hosts)],
  ['Per second', scan.hosts_per_second > 0 ? formatCount(Math.round(scan.hosts_per_second)) : '–'],
  [isActive(scan) ? 'For' : 'Took', formatDuration(scan, nowMs) || '–'],
]

type Props = {
  readonly scan: Scan
  readonly network: string
  /** The label of the network, which a waiting scan waits for. */
  readonly label: string | undefined
}

export const ScanProgress = ({ scan, network, label }: Props) => {
  const nowMs = useNow(isActive(scan))
  return (
    <Card>
      <ol className={css.steps} aria-label="Stages">
        {listStages(scan.scan_type).map(([stage, text], index) => {
          const state = getState(scan, index)
          return (
            <li key={stage} className={css.step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
              <span className={css.stepMark} aria-hidden="true">
                {state === 'done' ? <Check size={12} /> : index + 1}
              </span>
              {text}
              <span className="sr">, {STATE_TEXT[state]}</span>
            </li>
          )
        })}
        <li className={css.stepEnd}>
          {scan.status === 'running' ? (
            <>
              <b>{Math.floor(scan.progress_percent)}%</b> <span className="muted">{formatTimeLeft(scan, nowMs)}</span>
            </>
          ) : (
            <span className="muted">{scan.status === 'pending' && withCapital(formatWait(label))}</span>
          )}
        </li>
      </ol>
      <Progress scan={scan} label={`Progress of the scan of ${network}`} />
      <dl className={startCss.figures}>
        {listFigures(scan, nowMs).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
