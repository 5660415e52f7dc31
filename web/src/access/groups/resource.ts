/** How groups of users are read and written. */
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import { buildFormFields } from '../../resource/fields.ts'
import type { Resource } from '../../resource/resource.ts'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Group } from '../types.ts'
import { fields } from './fields.ts'

export const groupResource: Resource<Group> = {
  noun: 'group',
  fields: buildFormFields(fields),
  getName: ({ name }) => name,
  ...createCrud(contracts.groups),
  changes: RIGHTS_CHANGES,
}
