/** How users are read, written, searched and sorted. */

import { AppError } from '../../../../src/contract/errors.ts'
import { toSortKey } from '../../../../src/net/name-order.ts'
import { contracts } from '../../api/contracts.ts'
import { createCrud } from '../../resource/crud.ts'
import type { Resource } from '../../resource/resource.ts'
import type { TableSpec } from '../../table/engine.ts'
import { confirmAdmin } from '../grants/admin-question.tsx'
import { RoleWhereFields, toSentGrants } from '../grants/role-fields.tsx'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { User } from '../types.ts'
import { PasswordField } from './password-field.tsx'

type Sent = { readonly role_id: string; readonly scope_id?: string }

const crud = createCrud(contracts.users)

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
      kind: 'flag',
      initial: 'false',
      hint: 'Signs in with a password while PASSWORD_SIGN_IN is break-glass',
      read: String,
      send: (text) => text === 'true',
      isShown: (_, isNew) => !isNew,
    },
    {
      name: 'grants',
      label: 'Role',
      isShown: (_, isNew) => isNew,
      render: (input) => <RoleWhereFields {...input} />,
      read: () => '',
      send: toSentGrants,
    },
  ],
  getName: ({ username }) => username,
  ...crud,
  create: async (input) => {
    // The form of this resource sends them.
    const { username = '', grants = [] } = input as { readonly username?: string; readonly grants?: readonly Sent[] }
    for (const grant of grants)
      if (!(await confirmAdmin(grant, username)))
        throw new AppError('INVALID_INPUT', 'The user is not created yet: choose another role, or a scope')
    return crud.create(input)
  },
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
