/** How users are read, written, searched and sorted. */

import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import { formatList, parseList } from '../list-text.ts'
import { RIGHTS_CHANGES } from '../queries.ts'
import { RoleChoice } from '../roles/role-choice.tsx'
import type { User } from '../types.ts'
import { PasswordField } from './password-field.tsx'

export const userResource: Resource<User> = {
  noun: 'user',
  fields: [
    { name: 'username', label: 'User name', isRequired: true },
    {
      name: 'password',
      label: 'Password',
      isRequired: true,
      isSecret: true,
      isShown: (_, isNew) => isNew,
      render: ({ value, onChange, error }) => (
        <PasswordField label="Password" value={value} onChange={onChange} error={error} />
      ),
      send: (text) => text,
    },
    { name: 'full_name', label: 'Full name' },
    { name: 'email', label: 'E-mail' },
    {
      name: 'is_break_glass',
      label: 'Break-glass',
      kind: 'select',
      options: [
        ['false', 'No'],
        ['true', 'Yes'],
      ],
      initial: 'false',
      hint: 'Signs in with a password while PASSWORD_SIGN_IN is break-glass',
      read: String,
      send: (text) => text === 'true',
      isShown: (_, isNew) => !isNew,
    },
    {
      name: 'roles',
      label: 'Roles',
      render: ({ value, onChange, error }) => (
        <RoleChoice names={parseList(value)} onChange={(names) => onChange(formatList(names))} error={error} />
      ),
      read: formatList,
      send: parseList,
    },
  ],
  getName: ({ username }) => username,
  ...createCrud(contracts.users),
  changes: RIGHTS_CHANGES,
}

const status = ({ is_active }: User): string => (is_active ? 'active' : 'inactive')

export const userSpec: TableSpec<User> = {
  id: ({ id }) => id,
  text: ({ username, full_name, email, roles }) => [username, full_name, email, ...roles].join('\n'),
  sorts: {
    username: ({ username }) => toSortKey(username),
    full_name: ({ full_name }) => toSortKey(full_name),
    email: ({ email }) => toSortKey(email),
    status,
    // Users who never signed in sort last.
    seen: ({ last_login_at }) => last_login_at ?? '~',
    created: ({ created_at }) => created_at,
  },
  fields: {
    role: ({ roles }, value) => roles.some((role) => role.toLowerCase().startsWith(value)),
    status: (user, value) => status(user) === value,
  },
  facets: { role: ({ roles }) => roles, status: (user) => [status(user)] },
}
