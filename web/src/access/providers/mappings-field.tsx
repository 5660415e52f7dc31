/** The mappings of a provider: which values of its groups claim make users members of which groups. */
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { RowsField } from '../../resource/form/rows-field.tsx'
import type { ControlInput } from '../../resource/resource.ts'
import { TextField } from '../../ui/field.tsx'
import type { Provider } from '../types.ts'

type Mapping = Provider['group_mappings'][number]

const NEW: Mapping = { value: '', group_id: '' }

/** The form only has texts. */
export const readMappings = (value: unknown): string => JSON.stringify(value ?? [])
// Only this module writes it.
export const parseMappings = (text: string): readonly Mapping[] => (text === '' ? [] : (JSON.parse(text) as Mapping[]))

export const MappingsField = ({ value, onChange, errors, error }: ControlInput) => (
  <RowsField
    legend="Group mappings"
    noun="mapping"
    hint={
      <>
        Users with the value are members of the group, from their next sign-in on. <span className="mono">*</span> is
        everyone of the provider.
      </>
    }
    rows={parseMappings(value)}
    added={NEW}
    onChange={(mappings) => onChange(JSON.stringify(mappings))}
    error={error}
  >
    {({ value: claimed, group_id }, i, set) => (
      <>
        <TextField
          label={`Value ${i + 1}`}
          isMono
          value={claimed}
          onChange={(text) => set({ value: text })}
          error={errors[`group_mappings[${i}].value`]}
        />
        <ReferenceField
          label={`Group ${i + 1}`}
          to="groups"
          placeholder="Choose a group"
          value={group_id}
          onChange={(id) => set({ group_id: id })}
          error={errors[`group_mappings[${i}].group_id`]}
        />
      </>
    )}
  </RowsField>
)
