/** The choice of a scan type, each with a description. */
import { useId } from 'react'
import { SCAN_TYPES } from '../labels.ts'
import type { ScanType } from '../shapes.ts'
import css from '../start.module.css'

type Props = { readonly value: ScanType; readonly onChange: (type: ScanType) => void }

export const TypeChoice = ({ value, onChange }: Props) => {
  const name = useId()
  return (
    <fieldset className={css.types}>
      <legend>Type</legend>
      {SCAN_TYPES.map(([type, text, note]) => (
        <label key={type} className={css.type}>
          <input type="radio" name={name} value={type} checked={type === value} onChange={() => onChange(type)} />
          <span>
            <b>{text}</b>
            <span className="muted">{note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
