/** Selects an object that a filter or a form refers to. */
import { SelectField } from '../ui/field.tsx'

/** Pairs of id and label. Undefined until they are loaded, and without the permission to list them. */
export type Choices = readonly (readonly [id: string, label: string])[] | undefined

type Props = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  readonly choices: Choices
  /** Selects none; "Any" by default. */
  readonly any?: string
}

export const ReferenceField = ({ label, value, onChange, error, choices, any = 'Any' }: Props) => {
  const isListed = value === '' || choices?.some(([id]) => id === value) === true
  // A filter keeps a reference to a deleted object.
  const own = isListed ? [] : [[value, choices ? `${value} (deleted)` : value] as const]
  return (
    <SelectField
      label={label}
      value={value}
      onChange={onChange}
      error={error}
      options={[['', any], ...own, ...(choices ?? [])]}
    />
  )
}
