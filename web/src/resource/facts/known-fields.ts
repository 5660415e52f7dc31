/** The control of refs, for a form without a declaration of its fields. */
import { REFS_FIELD } from '../fields.ts'
import type { FieldSpec } from '../resource.ts'

export const REFS_FORM: FieldSpec = { name: 'refs', label: REFS_FIELD.label, ...REFS_FIELD.form }
