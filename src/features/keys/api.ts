/** The API keys contract. Browser-safe. */
import { z } from 'zod'
import { draft, idOf, Moment, Name, Page, reference, Timestamp } from '../../platform/contract/fields.ts'
import { operation } from '../../platform/operation/operation.ts'

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    user_id: z.string().nullable().describe('The owner, whose permissions the key has; a key without one is invalid'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('To the minute'),
    expires_at: Timestamp.nullable(),
    prefix: z.string().describe('The first characters of the key, to identify it'),
    created_by: z
      .string()
      .nullable()
      .describe('The user who made it; null for a key of an earlier version, which counts as made by its owner'),
    feed_id: z.string().nullable().describe('The feed whose content is all that the key opens'),
  })
  .meta({ id: 'ApiKey', columns: ['id', 'name', 'prefix', 'last_used_at', 'expires_at'] })
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = ApiKey.extend({ key: z.string().describe('The key itself, shown only this once') }).meta({
  id: 'NewApiKey',
  columns: ['id', 'name', 'key', 'expires_at'],
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** Forms send "" for an empty field. */
const Expiry = z.union([z.literal('').transform(() => null), Moment]).nullable()

export const ApiKeyDraft = z.object({
  name: Name,
  ...draft({
    expires_at: Expiry,
    user_id: reference('users').describe('The owner of the key; you without it'),
    feed_id: reference('feeds').describe('Opens the content of this feed, and nothing else'),
  }),
})
export type ApiKeyDraft = z.output<typeof ApiKeyDraft>

const One = z.object({ id: idOf('keys') })

export const keys = {
  list: operation({
    name: 'keys.list',
    summary: 'List your API keys, or those of all users with the permission apikeys:list',
    description:
      'Keys of users who have a permission that you lack are left out; requesting those of such a user is forbidden.',
    http: 'GET /api/keys',
    access: 'authenticated',
    input: () =>
      z.object({
        user_id: idOf('users').optional().describe('Only the keys of this user'),
        feed_id: idOf('feeds').optional().describe('Only the keys of this feed'),
        ...Page,
      }),
    output: () => z.array(ApiKey),
  }),
  create: operation({
    name: 'keys.create',
    summary: 'Create an API key; it is shown only this once',
    description:
      'For yourself, or with user_id for another user: that requires the permission apikeys:create, and that you hold all permissions of the user. Such a key ends when its owner gains or loses a role, or gets a new password. A user has at most 100 keys that have not expired: LIMIT_REACHED.',
    http: 'POST /api/keys',
    status: 201,
    effect: 'create',
    access: 'authenticated',
    cli: { args: ['name'] },
    // The answer contains a secret.
    mcp: 'hidden',
    input: ApiKeyDraft,
    output: NewApiKey,
  }),
  get: operation({
    name: 'keys.get',
    summary: 'Show an API key of yours, or of any user with the permission apikeys:read',
    description: 'For the key of another user you must also hold all permissions of its owner.',
    http: 'GET /api/keys/{id}',
    access: 'authenticated',
    input: One,
    output: ApiKey,
  }),
  delete: operation({
    name: 'keys.delete',
    summary:
      'Delete an API key of yours, or of any user with the permission apikeys:delete; it becomes invalid at once',
    description: 'For the key of another user you must also hold all permissions of its owner.',
    http: 'DELETE /api/keys/{id}',
    access: 'authenticated',
    input: One,
    output: () => z.void(),
  }),
}
