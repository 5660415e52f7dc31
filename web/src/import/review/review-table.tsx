/** The rows of an import with all of their values, the result of each, and a checkbox. */
import { useState } from 'react'
import { getNoun } from '../../../../src/record/history/kind-names.ts'
import { PlanFilters } from '../../table/plan/plan-filters.tsx'
import { type PlanRow, PlanTable } from '../../table/plan/plan-table.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import type { Tone } from '../../ui/primitives.tsx'
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

const isOpen = ({ verdict }: ReviewRow): boolean => verdict !== 'refused'

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
  const select = (keys: readonly string[], isOn: boolean) => {
    const changed = new Set(keys)
    onUnchecked(new Set(isOn ? [...unchecked].filter((key) => !changed.has(key)) : [...unchecked, ...keys]))
  }
  const toPlanRow = (row: ReviewRow): PlanRow => {
    const { key, number, name, resource, verdict, messages, values } = row
    const title = name === '' ? `row ${number}` : name
    return {
      ...{ key, name, title, messages, values, lead: formatCount(number), noun: getNoun(resource) },
      result: isPlanned || !isOpen(row) ? { tone: TONES[verdict], text: verdict } : undefined,
      isSelectable: isOpen(row),
      isWrong: !isOpen(row),
      actions: !isOpen(row) && (
        <Button onClick={() => onCorrect(row)} aria-label={`Correct ${title}`}>
          Correct
        </Button>
      ),
    }
  }
  return (
    <>
      <PlanFilters
        label="Shown rows"
        filters={FILTERS.filter(([verdict]) => verdict === undefined || counts.has(verdict)).map(([value, text]) => ({
          value,
          text,
          count: value === undefined ? rows.length : (counts.get(value)?.length ?? 0),
        }))}
        current={isEmpty ? undefined : filter}
        onChange={(verdict) => {
          setFilter(verdict)
          setShown(PAGE)
        }}
      />
      <PlanTable
        label="Rows to import"
        verb="Import"
        lead={unit === 'row' ? 'Row' : 'Line'}
        rows={filtered.slice(0, shown).map(toPlanRow)}
        all={filtered.map((row) => ({ key: row.key, isSelectable: isOpen(row) }))}
        isSelected={(key) => !unchecked.has(key)}
        onSelect={select}
      />
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
