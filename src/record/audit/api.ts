/** The audit contract: who changed what, when and from where, and proof of it. Browser-safe. */
import { z } from 'zod'
import { Filter, Key, Moment, Page, Timestamp } from '../../contract/fields/fields.ts'
import { AUDIT_ACTIONS, operation, rawRoute } from '../../kernel/operation.ts'

export const STATUSES = ['success', 'failure'] as const

export const AuditObject = z
  .object({
    type: z.string().describe('The kind of the object, if it differs from `resource`: an object within it'),
    name: z.string().describe('Its current name; of a deleted object the last one that its newest entries have'),
    is_deleted: z.boolean(),
  })
  .meta({ id: 'AuditObject' })
export type AuditObject = z.infer<typeof AuditObject>

export const AuditEntry = z
  .object({
    id: z.string(),
    timestamp: Timestamp,
    action: z.enum(AUDIT_ACTIONS),
    resource: z.string().describe('The kind of object: `device`, `network`, ...'),
    resource_id: z.string().describe('The id of the object; empty for a call that is not about one object'),
    user_id: z.string().describe('The user who called, or the API key; empty for a caller without valid credentials'),
    username: z.string().describe('Name of that user or key; for a failed login, as it was typed'),
    key_id: z.string().describe('The API key of the call; empty without one'),
    ip_address: z.string(),
    changes: z.string().describe('The input as JSON without secrets, cut to 10 KB'),
    status: z.enum(STATUSES),
    error: z.string().describe('The error; empty for a success'),
    request_id: z.string().describe('X-Request-Id of the answer'),
    oauth_client: z.string().describe('The OAuth client that acted for the user, by name and id; empty without one'),
    tool: z.string().describe('The MCP tool that was called; empty without one'),
    key_owner_id: z.string().describe('The user who owns the API key, and whose rights it has; empty without a key'),
    key_owner: z.string().describe('Username of the owner of the API key; empty without a key'),
    change_id: z.string().describe('The change that the history has of it; empty if no object of the estate changed'),
    proposal_id: z.string().describe('The proposal that the call has merged; empty for any other call'),
    object: AuditObject.nullable()
      .optional()
      .describe('The object by its name, if requested; null if no name is known, or the caller may not read it'),
  })
  .meta({
    id: 'AuditEntry',
    columns: ['timestamp', 'username', 'key_owner', 'action', 'resource', 'resource_id', 'status', 'ip_address', 'id'],
  })
export type AuditEntry = z.infer<typeof AuditEntry>

/** An entry as the first page and the answers about an object show it. */
export const AuditChange = AuditEntry.pick({
  id: true,
  timestamp: true,
  username: true,
  key_owner: true,
  action: true,
  resource: true,
  resource_id: true,
  status: true,
})

export const Verification = z
  .object({
    ok: z.boolean(),
    checked: z.int().describe('The number of entries read'),
    signed: z.boolean().describe('True if the ends of the trail are signed with ENCRYPTION_KEY'),
    first_bad: z
      .object({
        id: z.string().describe('The altered entry, or the one after removed entries; empty at the end'),
        reason: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'AuditVerification' })
export type Verification = z.infer<typeof Verification>

const filters = {
  resource: Filter.optional().describe('Kind of object: device, network, ...'),
  resource_id: Key.optional().describe('Only entries about this object'),
  user_id: Key.meta({ ref: 'users', orRef: 'keys' })
    .optional()
    .describe('Only entries of this user, with those of their API keys, or of this API key'),
  action: z.enum(AUDIT_ACTIONS).optional(),
  status: z.enum(STATUSES).optional(),
  start_time: Moment.optional().describe('Not before this time'),
  end_time: Moment.optional().describe('Not after this time'),
}
const AuditFilter = z.object(filters)
export type AuditFilter = z.output<typeof AuditFilter>

export const ExportQuery = z.object({ format: z.enum(['json', 'csv']).default('json'), ...filters })
export type ExportQuery = z.output<typeof ExportQuery>

const MAX_ROWS = 1000

export const audit = {
  list: operation({
    name: 'audit.list',
    summary: 'List changes, by whom and from where; newest first',
    http: 'GET /api/audit',
    access: 'audit:list',
    mcp: 'listed',
    input: () =>
      z.object({
        ...filters,
        include: z.enum(['names']).optional().describe('Adds to each entry the name of its object'),
        limit: z.int().min(1).max(MAX_ROWS).default(100).describe('Most rows to return'),
        offset: Page.offset,
      }),
    output: () => z.array(AuditEntry),
  }),
  verify: operation({
    name: 'audit.verify',
    summary: 'Check that no audit entry was altered, added or removed outside the server',
    description:
      'Each entry contains the hash of the one before it. This computes all hashes again, and names the first entry that does not fit.',
    http: 'GET /api/audit/verify',
    access: 'audit:read',
    input: () => z.object({}),
    output: Verification,
  }),
  get: operation({
    name: 'audit.get',
    summary: 'Show an audit entry',
    http: 'GET /api/audit/{id}',
    access: 'audit:read',
    input: () => z.object({ id: Key }),
    output: AuditEntry,
  }),
}

export const auditRoutes = {
  export: rawRoute({
    name: 'audit.export',
    readsOnce: true,
    summary: 'Download all matching audit entries, as JSON or CSV; newest first',
    http: 'GET /api/audit/export',
    access: 'audit:export',
    isLong: true,
    query: ExportQuery,
    output: z.array(AuditEntry),
    alsoProduces: 'text/csv',
  }),
}
