/** The common part of all controls of custom fields. */
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { FormValue } from './known-text.ts'

/** The part of a definition that a control shows. */
export type Controlled = Pick<
  CustomField,
  | 'id'
  | 'name'
  | 'searchable'
  | 'label'
  | 'type'
  | 'multiple'
  | 'choices'
  | 'required'
  | 'unique'
  | 'description'
  | 'minimum'
  | 'maximum'
  | 'reference_to'
>

export type ControlProps = {
  readonly definition: Controlled
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
  readonly error: string | undefined
}

/** Returns the help text, else the bounds. */
export const formatHint = ({ description, minimum, maximum }: Controlled): string | undefined => {
  if (description !== '') return description
  if (minimum !== null && maximum !== null) return `${minimum} to ${maximum}`
  if (minimum !== null) return `At least ${minimum}`
  return maximum === null ? undefined : `At most ${maximum}`
}

/** Returns the values of a control with several. */
export const toList = (value: FormValue): readonly string[] =>
  typeof value === 'object' ? value : value === '' ? [] : [value]
