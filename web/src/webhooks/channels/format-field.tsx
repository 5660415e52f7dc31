/** Asks where a webhook sends to, with a tile for each service. */
import { useId } from 'react'
import fieldCss from '../../ui/field.module.css'
import { toSentence } from '../../ui/field.tsx'
import { FORMATS, SERVICES } from './formats.ts'
import css from './notifications.module.css'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const FormatField = ({ value, onChange, error }: Props) => {
  const id = useId()
  return (
    <fieldset className={css.tiles} aria-describedby={error === undefined ? undefined : `${id}-note`}>
      <legend className={fieldCss.label}>Where to</legend>
      {FORMATS.map((format) => (
        <label key={format} className={css.tile}>
          <input
            type="radio"
            name={id}
            value={format}
            checked={format === value}
            aria-describedby={`${id}-${format}`}
            onChange={() => onChange(format)}
          />
          <span className={css.tileName}>{SERVICES[format].name}</span>
          <span id={`${id}-${format}`} className={css.tileNote}>
            {SERVICES[format].about}
          </span>
        </label>
      ))}
      {error !== undefined && (
        <p id={`${id}-note`} className={fieldCss.error}>
          {toSentence('Where to', error)}
        </p>
      )}
    </fieldset>
  )
}
