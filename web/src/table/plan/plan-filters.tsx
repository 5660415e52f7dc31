/** The parts of a plan by their results, each with its number. */
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import css from './plan-table.module.css'

export type PlanFilter<Value> = { readonly value: Value; readonly text: string; readonly count: number }

type Props<Value> = {
  readonly label: string
  readonly filters: readonly PlanFilter<Value>[]
  readonly current: Value
  readonly onChange: (value: Value) => void
}

export const PlanFilters = <Value,>({ label, filters, current, onChange }: Props<Value>) => (
  <div className={css.filters} role="group" aria-label={label}>
    {filters.map(({ value, text, count }) => (
      <Button key={text} look="quiet" aria-pressed={value === current} onClick={() => onChange(value)}>
        {text} {formatCount(count)}
      </Button>
    ))}
  </div>
)
