/** Chooses several of many: each chosen one stands below the field, and can be removed. */
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import css from '../../ui/combobox.module.css'
import { type Choice, ChoiceField } from './choice-field.tsx'

type Props = {
  readonly label: string
  readonly value: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
  readonly choices: readonly Choice[]
  /** The names of the chosen ones, if they differ from their ids. */
  readonly names?: ReadonlyMap<string, string>
  readonly onSearch?: ((text: string | undefined) => void) | undefined
  readonly isSearching?: boolean
  readonly placeholder?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
}

export const ManyField = ({ label, value, onChange, choices, names, placeholder, ...rest }: Props) => {
  const field = useRef<HTMLDivElement>(null)
  /** The chosen one that gets the focus once another is removed; -1 for the field. */
  const focused = useRef<number>(undefined)
  useEffect(() => {
    const { current: at } = focused
    focused.current = undefined
    if (at === undefined) return
    const buttons = field.current?.querySelectorAll('li button') ?? []
    const target = buttons[at] ?? field.current?.querySelector('input')
    if (target instanceof HTMLElement) target.focus()
  })
  const remove = (id: string) => {
    focused.current = value.indexOf(id) - 1
    onChange(value.filter((one) => one !== id))
  }
  const getName = (id: string): string => names?.get(id) ?? id
  return (
    <div ref={field} className={css.many}>
      <ChoiceField
        {...rest}
        label={label}
        value=""
        onChange={(id) => onChange([...value, id])}
        choices={choices.filter(([id]) => !value.includes(id))}
        placeholder={placeholder ?? (value.length === 0 ? 'Type a part of a name' : 'Add another')}
      />
      {value.length > 0 && (
        <ul className={css.chosen} aria-label={label}>
          {value.map((id) => (
            <li key={id}>
              <span className="truncate">{getName(id)}</span>
              <Button isIcon look="quiet" aria-label={`Remove ${getName(id)} from ${label}`} onClick={() => remove(id)}>
                <X size={13} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
