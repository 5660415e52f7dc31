/** The reports of a digest, as far as the user may read them. */
import { useId } from 'react'
import { formatList, parseList } from '../../access/list-text.ts'
import { reportsQuery } from '../../reports/queries.ts'
import { usePermitted } from '../../shell/me.ts'
import fieldCss from '../../ui/field.module.css'
import { Checkbox, toSentence } from '../../ui/field.tsx'
import css from '../webhooks.module.css'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const ReportsField = ({ value, onChange, error }: Props) => {
  const id = useId()
  const { data } = usePermitted('reports:read', reportsQuery)
  const chosen = parseList(value)
  if (!data) return null
  const toggle = (name: string) =>
    onChange(formatList(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]))
  return (
    <fieldset className={css.events} aria-describedby={error === undefined ? undefined : `${id}-note`}>
      <legend className={fieldCss.label}>Reports in the digest</legend>
      {data.map(({ name, title, description }) => (
        <div key={name} className={css.event}>
          <Checkbox
            id={`${id}-${name}`}
            checked={chosen.includes(name)}
            aria-describedby={`${id}-${name}-note`}
            onChange={() => toggle(name)}
          />
          <label htmlFor={`${id}-${name}`}>{title}</label>
          <span id={`${id}-${name}-note`} className={css.eventNote}>
            {description}
          </span>
        </div>
      ))}
      {error !== undefined && (
        <p id={`${id}-note`} className={fieldCss.error}>
          {toSentence('Reports', error)}
        </p>
      )}
    </fieldset>
  )
}
