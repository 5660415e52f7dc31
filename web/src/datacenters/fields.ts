/** The fields of a datacenter. */
import type { Datacenter } from '../api/contracts.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../resource/fields.ts'

export const fields: Fields<Datacenter> = {
  id: ID_FIELD,
  name: buildNameField(),
  location: {
    label: 'Location',
    column: { width: 220, isEssential: true },
    filter: { hasFacet: true },
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 320 }, sort: false, filter: false },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
  created_at: { ...TIME_FIELDS.created_at, isDetail: false },
}
