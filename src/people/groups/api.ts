/** The contract of groups of users. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, Name, Page, patch, Timestamp, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const Group = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    member_count: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Group', columns: ['id', 'name', 'description', 'member_count'] })
export type Group = z.infer<typeof Group>

export const GroupMember = z
  .object({
    user_id: z.string(),
    username: z.string(),
    sources: z
      .array(z.string())
      .describe('`manual` for a member that was added here, and the ids of the sign-in providers that report it'),
  })
  .meta({ id: 'GroupMember', columns: ['user_id', 'username', 'sources'] })
export type GroupMember = z.infer<typeof GroupMember>

const fields = { description: text(4096) }

export const GroupDraft = z.object({ name: Name, ...draft(fields) })
export type GroupDraft = z.output<typeof GroupDraft>

export const GroupPatch = z.object({ id: idOf('groups'), ...patch({ name: Name, ...fields }) })
export type GroupPatch = z.output<typeof GroupPatch>

const One = z.object({ id: idOf('groups') })

export const Membership = z.object({ id: idOf('groups'), user_id: idOf('users') })
export type Membership = z.output<typeof Membership>

export const groups = {
  list: operation({
    name: 'groups.list',
    summary: 'List groups of users',
    http: 'GET /api/groups',
    access: 'groups:list',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        user_id: idOf('users').optional().describe('Only the groups of this user'),
        ...Page,
      }),
    output: () => z.array(Group),
  }),
  create: operation({
    name: 'groups.create',
    summary: 'Create a group of users; `grants.create` gives its members roles',
    http: 'POST /api/groups',
    status: 201,
    effect: 'create',
    access: 'groups:create',
    cli: { args: ['name'] },
    input: GroupDraft,
    output: Group,
  }),
  get: operation({
    name: 'groups.get',
    summary: 'Show a group',
    http: 'GET /api/groups/{id}',
    access: 'groups:read',
    input: One,
    output: Group,
  }),
  update: operation({
    name: 'groups.update',
    summary: 'Change the name or the description of a group',
    http: 'PUT /api/groups/{id}',
    access: 'groups:update',
    input: GroupPatch,
    output: Group,
  }),
  delete: operation({
    name: 'groups.delete',
    summary: 'Delete a group; its members lose the roles that it gave them',
    description:
      'You must hold all permissions of these roles. API keys that another user has made for the members end.',
    http: 'DELETE /api/groups/{id}',
    access: 'groups:delete',
    input: One,
    output: () => z.void(),
    errors: [409],
  }),
  members: operation({
    name: 'groups.members',
    summary: 'List the members of a group, by name',
    http: 'GET /api/groups/{id}/members',
    access: 'groups:read',
    input: () => z.object({ id: idOf('groups'), ...Page }),
    output: () => z.array(GroupMember),
  }),
  add: operation({
    name: 'groups.add',
    summary: 'Add a user to a group; no change if the user is a member',
    description:
      'You must hold all permissions that the group gives and that the user has. API keys that another user has made for this user end.',
    http: 'POST /api/groups/{id}/members',
    status: 201,
    effect: 'action',
    access: 'groups:update',
    cli: { args: ['id', 'user_id'] },
    input: Membership,
    output: () => z.object({ status: z.literal('added') }),
  }),
  remove: operation({
    name: 'groups.remove',
    summary: 'Remove a user from a group, also one that a sign-in provider reports',
    description:
      'You must hold all permissions that the user has. A sign-in provider may report the member again at the next sign-in. API keys that another user has made for this user end.',
    http: 'DELETE /api/groups/{id}/members/{user_id}',
    access: 'groups:update',
    cli: { args: ['id', 'user_id'] },
    input: Membership,
    output: () => z.void(),
  }),
}
