/** A form field with several objects, which are added from a list and removed one by one. */
import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Field } from '../../ui/field.tsx'
import css from '../access.module.css'
import { formatList, parseList } from '../list-text.ts'
import type { Names } from './fields.ts'

type Props = {
  readonly label: string
  /** `datacenter` */
  readonly noun: string
  readonly hint: string
  /** The text of `formatList`. */
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
  readonly names: Names
}

export const IdsField = ({ label, noun, hint, value, onChange, error, names }: Props) => {
  const ids = parseList(value)
  const others = [...names].filter(([id]) => !ids.includes(id))
  const set = (next: readonly string[]) => onChange(formatList(next))
  return (
    <div className={css.choice}>
      <Field label={label} hint={hint} error={error}>
        {(wiring) => (
          <select
            {...wiring}
            className={fieldCss.control}
            value=""
            onChange={({ target }) => set([...ids, target.value])}
          >
            <option value="">{others.length === 0 ? `No other ${noun}` : `Add a ${noun}…`}</option>
            {others.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {ids.length > 0 && (
        <ul className={css.chips} aria-label={label}>
          {ids.map((id) => (
            <li key={id}>
              {names.get(id) ?? id}
              <Button
                isIcon
                look="quiet"
                aria-label={`Remove ${names.get(id) ?? id}`}
                onClick={() => set(ids.filter((one) => one !== id))}
              >
                <X size={13} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
