/** The picker of a reference in a form that follows from facts: objects of the resource that it names. */
import { ReferencePicker } from '../custom-fields/picker.tsx'
import type { Target } from '../custom-fields/values.ts'
import type { ControlInput } from './resource.ts'

type Props = ControlInput & {
  readonly label: string
  readonly hint: string | undefined
  /** The resource of the objects. */
  readonly to: string
  readonly isRequired: boolean
}

/** The picker is that of custom fields, and this their definition. */
const NEUTRAL = {
  ...({ name: 'reference', type: 'reference', multiple: false, searchable: false } as const),
  ...{ minimum: null, maximum: null },
}

export const ReferenceControl = ({ label, hint = '', to, isRequired, value, onChange, error }: Props) => (
  <ReferencePicker
    definition={{
      ...NEUTRAL,
      id: to,
      choices: [],
      label,
      required: isRequired,
      description: hint,
      // The picker lists the objects of any resource.
      reference_to: to as Target,
    }}
    value={value}
    onChange={(next) => onChange(String(next))}
    error={error}
  />
)
