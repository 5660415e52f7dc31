/** The contract of grants: a role for a user or for the members of a group. Browser-safe. */
import { z } from 'zod'
import { draft, idOf, Page, reference, Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const Grant = z
  .object({
    id: z.string(),
    role_id: z.string(),
    role: z.string().describe('The name of the role'),
    user_id: z.string().nullable(),
    username: z.string().nullable(),
    group_id: z.string().nullable(),
    group: z.string().nullable().describe('The name of the group'),
    scope_id: z.string().nullable().describe('The scope in which the role counts; null is everywhere'),
    scope: z.string().nullable().describe('The name of the scope'),
    created_at: Timestamp,
  })
  .meta({ id: 'Grant', columns: ['id', 'role', 'username', 'group', 'scope'] })
export type Grant = z.infer<typeof Grant>

export const GrantDraft = z.object({
  role_id: idOf('roles').describe('Id or name of the role'),
  ...draft({
    user_id: reference('users').describe('The user who gets the role; either this or group_id'),
    group_id: reference('groups').describe('The group whose members get the role'),
    scope_id: reference('scopes').describe('The scope in which the role counts; everywhere without it'),
  }),
})
export type GrantDraft = z.output<typeof GrantDraft>

export const grants = {
  list: operation({
    name: 'grants.list',
    summary: 'List which roles users and groups have',
    http: 'GET /api/grants',
    access: 'users:list',
    input: () =>
      z.object({
        user_id: idOf('users').optional().describe('Only the grants of this user'),
        group_id: idOf('groups').optional().describe('Only the grants of this group'),
        role_id: idOf('roles').optional().describe('Only the grants of this role'),
        scope_id: idOf('scopes').optional().describe('Only the grants in this scope'),
        effective: z.boolean().optional().describe("With user_id: also the grants of the user's groups"),
        ...Page,
      }),
    output: () => z.array(Grant),
  }),
  create: operation({
    name: 'grants.create',
    summary: 'Give a role to a user or to the members of a group; no change if it is granted already',
    description:
      'You must hold all permissions of the role, and of a user all that the user has. API keys that another user has made for those who gain the role end.',
    http: 'POST /api/grants',
    status: 201,
    effect: 'create',
    access: 'users:update',
    cli: { args: ['role_id'] },
    input: GrantDraft,
    output: Grant,
  }),
  delete: operation({
    name: 'grants.delete',
    summary: 'Revoke a role from a user or from the members of a group',
    description:
      'You must hold all permissions of the role, and of a user all that the user has. The last active admin cannot lose that role. API keys that another user has made for those who lose the role end.',
    http: 'DELETE /api/grants/{id}',
    access: 'users:update',
    input: () => z.object({ id: idOf('grants') }),
    output: () => z.void(),
  }),
}
