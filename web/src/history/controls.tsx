/** The controls of the filters of changes: a choice, and a moment. */
import css from './history.module.css'
import { localMoment } from './words.ts'

type Option = readonly [value: string, text: string]

type ChoiceProps = {
  readonly label: string
  readonly any: string
  readonly value: string | undefined
  readonly options: readonly Option[]
  readonly onChange: (value: string | undefined) => void
}

export const Choice = ({ label, any, value = '', options, onChange }: ChoiceProps) => {
  // A link may name a value that is in no list.
  const isListed = value === '' || options.some(([one]) => one === value)
  return (
    <select
      aria-label={label}
      className={css.control}
      data-set={value !== '' || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{any}</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

type MomentProps = {
  readonly label: string
  /** RFC 3339. */
  readonly value: string | undefined
  readonly onChange: (at: string | undefined) => void
}

const textOf = (at: string | undefined): string =>
  at === undefined || Number.isNaN(Date.parse(at)) ? '' : localMoment(at)

export const MomentBox = ({ label, value, onChange }: MomentProps) => (
  <label className={css.moment}>
    {label}
    <input
      type="datetime-local"
      step={1}
      className={css.control}
      data-set={value !== undefined || undefined}
      value={textOf(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : new Date(target.value).toISOString())}
    />
  </label>
)
