/** The users contract. Browser-safe. */
import { z } from 'zod'
import { checkPassword, MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARACTERS } from '../../base/security/password-rule.ts'
import {
  draft,
  Filter,
  idOf,
  Key,
  Page,
  patch,
  reference,
  ruledText,
  Timestamp,
  text,
} from '../../contract/fields/fields.ts'
import { buildAlternation, CONTROLS, EMAIL, matchWhole } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { CataloguePermission } from '../roles/api.ts'
import { KeptUsername, Username } from './username.ts'

export const User = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    full_name: z.string(),
    is_active: z.boolean(),
    has_password: z.boolean().describe('False for a user who signs in by an identity provider alone'),
    is_break_glass: z.boolean().describe('Whether the user signs in by password while PASSWORD_SIGN_IN is break-glass'),
    roles: z.array(z.string()).describe('Names of roles, sorted'),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_login_at: Timestamp.nullable(),
  })
  .meta({ id: 'User', columns: ['id', 'username', 'full_name', 'email', 'roles', 'is_active'] })
export type User = z.infer<typeof User>

export const UserPermission = CataloguePermission.extend({
  scope_ids: z
    .array(z.string())
    .nullable()
    .describe('The scopes in which the user has the permission; null is everywhere'),
}).meta({ id: 'UserPermission', columns: ['name', 'scope_ids', 'description'] })
export type UserPermission = z.infer<typeof UserPermission>

/** The widest characters that take this many bytes in UTF-8 (RFC 3629), inside brackets. */
const CHARACTERS_OF_BYTES = [
  [1, ' -~'],
  [2, ' -~\\u00a0-\\u07ff'],
  [3, ' -~\\u00a0-\\uffff'],
  [4, `^${CONTROLS}`],
] as const

/** No pattern counts bytes: the wider the characters, the fewer there may be. The server also takes mixtures that are not among these. */
const PASSWORD_PATTERN = matchWhole(
  buildAlternation(
    ...CHARACTERS_OF_BYTES.map(
      ([bytes, characters]) => `[${characters}]{${MIN_PASSWORD_CHARACTERS},${MAX_PASSWORD_BYTES / bytes}}`,
    ),
  ),
)

/** A new password. */
const NewPassword = z
  .string()
  .meta({
    format: 'password',
    exact: {
      minLength: MIN_PASSWORD_CHARACTERS,
      maxLength: MAX_PASSWORD_BYTES,
      pattern: PASSWORD_PATTERN,
    },
  })
  .check((check) => {
    const problem = checkPassword(check.value)
    if (problem !== undefined) check.issues.push({ code: 'custom', message: problem, input: check.value })
  })

/** A password that is compared, so any text is valid. */
const ShownPassword = z.string().meta({ format: 'password' })

/** RFC 5321 4.5.3.1: a path of 256 with its angle brackets. */
const MAX_EMAIL = 254

/** Far above any realistic number. */
const MAX_ROLES = 100
const MAX_GRANTS = 20

const fields = {
  email: ruledText(MAX_EMAIL, EMAIL),
  full_name: text(255),
  roles: z
    .array(idOf('roles'))
    .max(MAX_ROLES)
    .nullable()
    .transform((roles) => roles ?? [])
    .describe('Ids or names of roles; you must hold all of their permissions'),
}
const IsActive = z
  .boolean()
  .describe('Whether the user may sign in; the keys and sessions of a deactivated user are invalid')

const IsBreakGlass = z
  .boolean()
  .describe('Whether the user may sign in by password while PASSWORD_SIGN_IN is break-glass')

const NewGrants = z
  .array(z.object({ role_id: idOf('roles'), ...draft({ scope_id: reference('scopes') }) }))
  .max(MAX_GRANTS)
  .nullable()
  .transform((grants) => grants ?? [])
  .describe('Roles in scopes, or everywhere without one; needs the permission users:update, as `grants.create`')

export const UserDraft = z.object({
  username: Username,
  password: NewPassword,
  ...draft(fields),
  role_id: Key.nullable().optional().describe('Id or name of one more role'),
  ...draft({ grants: NewGrants }),
  is_active: IsActive.default(true),
  is_break_glass: IsBreakGlass.default(false),
})
export type UserDraft = z.output<typeof UserDraft>

export const UserPatch = z.object({
  id: idOf('users'),
  ...patch({ username: KeptUsername, ...fields, is_active: IsActive, is_break_glass: IsBreakGlass }),
})
export type UserPatch = z.output<typeof UserPatch>

export const PasswordChange = z.object({
  id: Key.describe('Your own id or username'),
  current_password: ShownPassword.optional(),
  old_password: ShownPassword.optional().meta({ deprecated: true, description: 'Another name of current_password' }),
  new_password: NewPassword,
})
export type PasswordChange = z.output<typeof PasswordChange>

export const PasswordReset = z.object({ id: idOf('users'), new_password: NewPassword })
export type PasswordReset = z.output<typeof PasswordReset>

export const RoleGrant = z.object({ user_id: idOf('users'), role_id: idOf('roles').describe('Id or name of the role') })
export type RoleGrant = z.output<typeof RoleGrant>

const One = z.object({ id: idOf('users') })

const FROM_STDIN =
  'At a terminal plat asks for it; elsewhere send it with --input -, where other users of the machine do not see it:'

export const users = {
  list: operation({
    name: 'users.list',
    summary: 'List users',
    http: 'GET /api/users',
    access: 'users:list',
    input: () =>
      z.object({
        username: Filter.optional().describe('Part of the username, in any case'),
        is_active: z.boolean().optional(),
        ...Page,
      }),
    output: () => z.array(User),
  }),
  create: operation({
    name: 'users.create',
    summary: 'Create a user with a password and optional roles',
    description: `The password has 8 characters or more. ${FROM_STDIN} echo '{"password": "..."}' | plat user create ada --role operator --input -`,
    http: 'POST /api/users',
    status: 201,
    effect: 'create',
    access: 'users:create',
    cli: { args: ['username'], ask: ['password'] },
    // A password that a model has read is no longer secret.
    mcp: 'hidden',
    input: UserDraft,
    output: User,
  }),
  get: operation({
    name: 'users.get',
    summary: 'Show a user',
    http: 'GET /api/users/{id}',
    access: 'users:read',
    input: One,
    output: User,
  }),
  update: operation({
    name: 'users.update',
    summary: 'Change some fields of a user; deactivating a user ends all their sessions',
    description:
      'You must hold all permissions that the user has, and all of a new role. The last active admin cannot lose that role. With other roles, API keys that another user has made for this user end.',
    http: 'PUT /api/users/{id}',
    access: 'users:update',
    input: UserPatch,
    output: User,
  }),
  delete: operation({
    name: 'users.delete',
    summary: 'Delete a user with all API keys and sessions',
    description:
      "You must hold all permissions that the user has. Users can't delete themselves, nor the last active admin.",
    http: 'DELETE /api/users/{id}',
    access: 'users:delete',
    input: One,
    output: () => z.void(),
  }),
  permissions: operation({
    name: 'users.permissions',
    summary: 'List the permissions of a user, from all roles together',
    http: 'GET /api/users/{id}/permissions',
    access: 'users:read',
    input: () => z.object({ id: idOf('users'), ...Page }),
    output: () => z.array(UserPermission),
  }),
  changePassword: operation({
    name: 'users.change-password',
    summary: 'Change your own password; you are signed out everywhere, and the API keys that you have made stay valid',
    description: `current_password may be called old_password. ${FROM_STDIN} echo '{"current_password": "...", "new_password": "..."}' | plat user change-password ada --input -`,
    http: 'POST /api/users/{id}/password',
    effect: 'action',
    access: 'authenticated',
    isSensitive: true,
    cli: { ask: ['current_password', 'new_password'] },
    // For the same reason as for create.
    mcp: 'hidden',
    input: PasswordChange,
    output: () => z.void(),
  }),
  resetPassword: operation({
    name: 'users.reset-password',
    summary:
      'Give a user a new password; the user is signed out everywhere, and the API keys that the user has made stay valid',
    description: `You must hold all permissions of the user, and those that the groups of its identity providers may give. ${FROM_STDIN} echo '{"new_password": "..."}' | plat user set-password ada --input - (plat user reset-password works on the host, without the server.)`,
    http: 'POST /api/users/{id}/reset-password',
    effect: 'action',
    access: 'users:update',
    isSensitive: true,
    cli: { command: 'user set-password', ask: ['new_password'] },
    // For the same reason as for create.
    mcp: 'hidden',
    input: PasswordReset,
    output: () => z.void(),
  }),
  grantRole: operation({
    name: 'users.grant-role',
    summary: 'Give a user a role; no change if the user has it',
    description:
      'You must hold all permissions that the user has, and all of the role. API keys that another user has made for this user end.',
    http: 'POST /api/users/grant-role',
    status: 201,
    effect: 'action',
    access: 'users:update',
    cli: { args: ['user_id', 'role_id'] },
    input: RoleGrant,
    output: () => z.object({ status: z.literal('granted') }),
  }),
  revokeRole: operation({
    name: 'users.revoke-role',
    summary: 'Revoke a role from a user; no change if the user does not have it',
    description:
      'You must hold all permissions that the user has. The last active admin cannot lose that role. API keys that another user has made for this user end.',
    http: 'POST /api/users/revoke-role',
    effect: 'action',
    access: 'users:update',
    cli: { args: ['user_id', 'role_id'] },
    input: RoleGrant,
    output: () => z.void(),
  }),
}
