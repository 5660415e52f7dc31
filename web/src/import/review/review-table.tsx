/** The rows of an import with all of their values, the result of each, and a checkbox. */
import { useState } from 'react'
import { getNoun } from '../../../../src/record/history/kind-names.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Badge, type Tone } from '../../ui/primitives.tsx'
import css from '../import.module.css'
import type { ReviewRow, Verdict } from './rows.ts'

const PAGE = 200

const TONES: Readonly<Record<Verdict, Tone>> = {
  refused: 'bad',
  new: 'ok',
  change: 'info',
  unchanged: 'idle',
  good: 'idle',
}

const FILTERS: readonly (readonly [Verdict | undefined, string])[] = [
  [undefined, 'All'],
  ['refused', 'Refused'],
  ['new', 'New'],
  ['change', 'Changes'],
  ['unchanged', 'Unchanged'],
]

type RowProps = {
  readonly row: ReviewRow
  readonly isPlanned: boolean
  readonly isChecked: boolean
  readonly onCheck: (isOn: boolean) => void
  readonly onCorrect: () => void
}

const Row = ({ row, isPlanned, isChecked, onCheck, onCorrect }: RowProps) => {
  const { number, name, resource, verdict, messages, values } = row
  const title = name === '' ? `row ${number}` : name
  const isRefused = verdict === 'refused'
  return (
    <tr data-verdict={verdict}>
      <td>
        <Checkbox
          aria-label={`Import ${title}`}
          checked={isChecked && !isRefused}
          disabled={isRefused}
          onChange={(event) => onCheck(event.target.checked)}
        />
      </td>
      <td className="num">{formatCount(number)}</td>
      <td>
        {isPlanned || isRefused ? <Badge tone={TONES[verdict]}>{verdict}</Badge> : <span className="muted">…</span>}
      </td>
      <td>
        <b>{name}</b>
        <div className="muted">{getNoun(resource)}</div>
      </td>
      <td>
        {messages.length > 0 && (
          <ul className={css.messages}>
            {messages.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        )}
        <ul className={css.values}>
          {values.map(({ label, text, from }) => (
            <li key={label}>
              <span className="muted">{label}</span> {from !== undefined && <>{from} → </>}
              {text}
            </li>
          ))}
        </ul>
        {isRefused && (
          <Button onClick={onCorrect} aria-label={`Correct ${title}`}>
            Correct
          </Button>
        )}
      </td>
    </tr>
  )
}

type Props = {
  readonly rows: readonly ReviewRow[]
  /** The unit of the numbers of rows. */
  readonly unit: 'line' | 'row'
  readonly isPlanned: boolean
  readonly unchecked: ReadonlySet<string>
  readonly onUnchecked: (keys: ReadonlySet<string>) => void
  readonly onCorrect: (row: ReviewRow) => void
}

export const ReviewTable = ({ rows, unit, isPlanned, unchecked, onUnchecked, onCorrect }: Props) => {
  const [filter, setFilter] = useState<Verdict>()
  const [shown, setShown] = useState(PAGE)
  const counts = Map.groupBy(rows, ({ verdict }) => verdict)
  const isEmpty = filter !== undefined && !counts.has(filter)
  const filtered = filter === undefined || isEmpty ? rows : (counts.get(filter) ?? [])
  const open = filtered.filter(({ verdict }) => verdict !== 'refused')
  const checked = open.filter(({ key }) => !unchecked.has(key))
  const setAll = (isOn: boolean) => {
    const keys = new Set(open.map(({ key }) => key))
    onUnchecked(new Set(isOn ? [...unchecked].filter((key) => !keys.has(key)) : [...unchecked, ...keys]))
  }
  const set = (key: string, isOn: boolean) =>
    onUnchecked(new Set(isOn ? [...unchecked].filter((one) => one !== key) : [...unchecked, key]))
  return (
    <>
      <div className={css.filters} role="group" aria-label="Shown rows">
        {FILTERS.filter(([verdict]) => verdict === undefined || counts.has(verdict)).map(([verdict, text]) => (
          <Button
            key={text}
            look="quiet"
            aria-pressed={(isEmpty ? undefined : filter) === verdict}
            onClick={() => {
              setFilter(verdict)
              setShown(PAGE)
            }}
          >
            {text} {formatCount(verdict === undefined ? rows.length : (counts.get(verdict)?.length ?? 0))}
          </Button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className={css.scroller} tabIndex={0} aria-label="Rows to import">
        <table className={css.rows}>
          <thead>
            <tr>
              <th scope="col">
                <Checkbox
                  aria-label="Import all"
                  checked={open.length > 0 && checked.length === open.length}
                  isMixed={checked.length > 0 && checked.length < open.length}
                  disabled={open.length === 0}
                  onChange={(event) => setAll(event.target.checked)}
                />
              </th>
              <th scope="col">{unit === 'row' ? 'Row' : 'Line'}</th>
              <th scope="col">Result</th>
              <th scope="col">Name</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {filtered.slice(0, shown).map((row) => (
              <Row
                key={row.key}
                row={row}
                isPlanned={isPlanned}
                isChecked={!unchecked.has(row.key)}
                onCheck={(isOn) => set(row.key, isOn)}
                onCorrect={() => onCorrect(row)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {filtered.length > shown && (
        <p>
          <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>{' '}
          <span className="muted">
            {formatCount(shown)} of {plural(filtered.length, 'row')}
          </span>
        </p>
      )}
    </>
  )
}
