/** The picker of a reference in a form that follows from facts: objects of the resource that it names. */
import type { FieldFacts } from '../../../src/resource/facts.ts'
import { ReferencePicker } from '../custom-fields/picker.tsx'
import type { Target } from '../custom-fields/values.ts'
import type { ControlInput } from './resource.ts'

export type ReferenceFacts = Extract<FieldFacts, { readonly type: 'reference' }>

type Props = ControlInput & {
  readonly label: string
  readonly facts: ReferenceFacts
}

/** The picker is that of custom fields, and this their definition. */
const NEUTRAL = {
  ...({ name: 'reference', type: 'reference', multiple: false, searchable: false } as const),
  ...{ minimum: null, maximum: null },
}

export const ReferenceControl = ({ label, facts, value, onChange, error }: Props) => (
  <ReferencePicker
    definition={{
      ...NEUTRAL,
      id: facts.to,
      choices: [],
      label,
      required: facts.required === true,
      description: facts.description ?? '',
      // The picker lists the objects of any resource.
      reference_to: facts.to as Target,
    }}
    value={value}
    onChange={(next) => onChange(String(next))}
    error={error}
  />
)
