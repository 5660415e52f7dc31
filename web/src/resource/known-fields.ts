/** The refs and the owner, for resources without a declaration of their fields. */
import { REFS_FIELD } from './fields.ts'
import type { FieldSpec } from './resource.ts'

export const REFS_FORM: FieldSpec = { name: 'refs', label: REFS_FIELD.label, ...REFS_FIELD.form }

type Known = { readonly refs: Readonly<Record<string, string>>; readonly managed_by: string }

/** The filters of the two fields, and the completions of the owner. */
export const KNOWN_FILTERS = {
  fields: {
    ref: (row: Known, value: string) => REFS_FIELD.text(row).some((ref) => ref.toLowerCase().includes(value)),
    managed: ({ managed_by }: Known, value: string) => managed_by.toLowerCase() === value,
  },
  facets: { managed: ({ managed_by }: Known) => [managed_by] },
}
