/** The mappings of a provider: which values of its groups claim make users members of which groups. */
import { Plus, X } from 'lucide-react'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { useFocusRow } from '../../resource/form/use-focus-row.ts'
import type { ControlInput } from '../../resource/resource.ts'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { TextField } from '../../ui/field.tsx'
import type { Provider } from '../types.ts'
import css from './providers.module.css'

type Mapping = Provider['group_mappings'][number]

/** The form only has texts. */
export const readMappings = (value: unknown): string => JSON.stringify(value ?? [])
// Only this module writes it.
export const parseMappings = (text: string): readonly Mapping[] => (text === '' ? [] : (JSON.parse(text) as Mapping[]))

export const MappingsField = ({ value, onChange, errors, error }: ControlInput) => {
  const mappings = parseMappings(value)
  const { list, focusRow } = useFocusRow()
  const write = (all: readonly Mapping[]) => onChange(JSON.stringify(all))
  const set = (i: number, change: Partial<Mapping>) =>
    write(mappings.map((one, at) => (at === i ? { ...one, ...change } : one)))
  return (
    <fieldset ref={list} className={css.mappings}>
      <legend className={fieldCss.label}>Group mappings</legend>
      <p className="muted">
        Users with the value are members of the group, from their next sign-in on. <span className="mono">*</span> is
        everyone of the provider.
      </p>
      {error !== undefined && <p className={fieldCss.error}>{error}</p>}
      {mappings.map(({ value: claimed, group_id }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mapping has no identity but its place
        <div key={i} className={css.mapping} data-row="">
          <TextField
            label={`Value ${i + 1}`}
            isMono
            value={claimed}
            onChange={(text) => set(i, { value: text })}
            error={errors[`group_mappings[${i}].value`]}
          />
          <ReferenceField
            label={`Group ${i + 1}`}
            to="groups"
            placeholder="Choose a group"
            value={group_id}
            onChange={(id) => set(i, { group_id: id })}
            error={errors[`group_mappings[${i}].group_id`]}
          />
          <Button
            isIcon
            look="quiet"
            aria-label={`Remove mapping ${i + 1}`}
            onClick={() => {
              focusRow(i - 1)
              write(mappings.filter((_, at) => at !== i))
            }}
          >
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      ))}
      <div>
        <Button
          onClick={() => {
            focusRow(mappings.length)
            write([...mappings, { value: '', group_id: '' }])
          }}
        >
          <Plus size={15} aria-hidden="true" />
          Add a mapping
        </Button>
      </div>
    </fieldset>
  )
}
