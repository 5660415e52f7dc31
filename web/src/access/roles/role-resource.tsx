/** How roles are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import { formatList, parseList } from '../list-text.ts'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Role } from '../types.ts'
import { RoleEditor } from './role-editor.tsx'

export const roleResource: Resource<Role> = {
  noun: 'role',
  isWide: true,
  fields: [
    { name: 'name', label: 'Name', isRequired: true },
    { name: 'description', label: 'Description' },
    {
      name: 'permissions',
      label: 'Permissions',
      render: ({ value, onChange, error, isNew }) => (
        <RoleEditor
          names={parseList(value)}
          onChange={(names) => onChange(formatList([...names].sort()))}
          error={error}
          isNew={isNew}
        />
      ),
      read: formatList,
      send: parseList,
    },
  ],
  getName: ({ name }) => name,
  ...createCrud(contracts.roles),
  changes: RIGHTS_CHANGES,
}

const kind = ({ is_system }: Role): string => (is_system ? 'system' : 'custom')

export const roleSpec: TableSpec<Role> = {
  id: ({ id }) => id,
  text: ({ name, description, permissions }) => [name, description, ...permissions].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    kind,
    permissions: ({ permissions }) => permissions.length,
    updated: ({ updated_at }) => updated_at,
  },
  fields: {
    kind: (role, value) => kind(role) === value,
    holds: ({ permissions }, value) => permissions.some((name) => name.startsWith(value)),
  },
  facets: { kind: (role) => [kind(role)], holds: ({ permissions }) => permissions },
}
