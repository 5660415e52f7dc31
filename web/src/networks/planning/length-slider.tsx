/** Chooses the length of subnets. */
import { Field } from '../../ui/field.tsx'
import css from '../space.module.css'

type Props = {
  readonly length: number
  readonly min: number
  readonly max: number
  readonly onChange: (length: number) => void
  readonly hint: string
  readonly error?: string | undefined
}

export const LengthSlider = ({ length, min, max, onChange, hint, error }: Props) => (
  <Field label="Prefix length" hint={hint} error={error}>
    {(wiring) => (
      <span className={css.slider}>
        <input
          {...wiring}
          type="range"
          min={min}
          max={max}
          value={length}
          aria-valuetext={`/${length}`}
          onChange={(event) => onChange(Number(event.target.value))}
        />
        <b className="mono">/{length}</b>
      </span>
    )}
  </Field>
)
