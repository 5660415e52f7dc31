/** The fields of a group of users. */
import { buildNameField, type Fields, ID_FIELD, TIME_FIELDS } from '../../resource/fields.ts'
import type { Group } from '../types.ts'

export const fields: Fields<Group> = {
  id: ID_FIELD,
  name: buildNameField(),
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 360 }, sort: false, filter: false },
  member_count: {
    label: 'Members',
    isSearched: false,
    form: false,
    column: { id: 'members', width: 90, isRight: true, isEssential: true },
    sort: ({ member_count }) => member_count,
    filter: false,
  },
  ...TIME_FIELDS,
}
