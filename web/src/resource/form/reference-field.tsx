/** Chooses an object, or several, by a part of the name or of the note that tells equal names apart. */
import { ChoiceField } from './choice-field.tsx'
import { ManyField } from './many-field.tsx'
import { type Source, useReferred } from './referred.ts'

type Common = Source & {
  readonly label: string
  readonly placeholder?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly isRequired?: boolean
}

type Props = Common & {
  readonly value: string
  /** @param name of the chosen object */
  readonly onChange: (id: string, name: string) => void
  /** The text of the choice of none; without it, a chosen object can only be replaced. */
  readonly none?: string | undefined
  readonly isDisabled?: boolean
}

export const ReferenceField = ({ to, filter, describe, find, findKey, none, value, onChange, ...rest }: Props) => {
  const source = { to, filter, describe, find, findKey }
  const { names, ...referred } = useReferred(source, value === '' ? [] : [value])
  return (
    <ChoiceField
      {...rest}
      value={value}
      onChange={(id) => onChange(id, names.get(id) ?? '')}
      chosen={names.get(value)}
      none={none}
      {...referred}
    />
  )
}

type ManyProps = Common & { readonly value: readonly string[]; readonly onChange: (ids: readonly string[]) => void }

export const ReferencesField = ({ to, filter, describe, find, findKey, value, ...rest }: ManyProps) => {
  const referred = useReferred({ to, filter, describe, find, findKey }, value)
  return <ManyField {...rest} value={value} {...referred} />
}
