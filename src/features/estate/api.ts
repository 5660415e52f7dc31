/** The estate contract: imports a whole resource in one call and one transaction. Browser-safe. */
import { z } from 'zod'
import { NOTE_HEADER } from '../../platform/contract/change-note.ts'
import { ERROR_CODES } from '../../platform/contract/errors.ts'
import { ChangeNote } from '../../platform/contract/history-fields.ts'
import { operation, type Permission, rawRoute } from '../../platform/operation/operation.ts'
import { INVENTORY } from '../inventory.ts'
import { PulledEstate } from './convert/schema.ts'

const Resource = z.enum(INVENTORY)

/** The largest body of an import, in bytes. */
export const MAX_IMPORT_BYTES = 512 * 1024 * 1024
/** The number of bad rows that an answer names; the others are counted. */
export const MAX_ERRORS = 100

export const ImportQuery = z.object({
  resource: Resource,
  dry_run: z.boolean().default(false).describe('Validates every row and changes nothing'),
})

const RowError = z.object({
  row: z.int().describe('1 is the first'),
  id: z.string().optional(),
  code: z.enum(ERROR_CODES),
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
})

export type ImportQuery = z.output<typeof ImportQuery>

export const ImportResult = z
  .object({
    resource: Resource,
    dry_run: z.boolean(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int().describe('If any row is bad, nothing is changed'),
    errors: z.array(RowError).describe(`The first ${MAX_ERRORS}`),
    change_id: z.string().describe('The change in the history; empty if nothing has changed'),
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

/** Visible ASCII, as a header can carry it. */
const TOKEN = '[!-~]+'

export const estate = {
  pull: operation({
    name: 'estate.pull',
    summary: 'Read another inventory by its URL, and convert it; changes nothing',
    description:
      'Reads all objects of a NetBox by its API with the token, and answers with rows for Plat, with names and `refs` in place of ids. ' +
      'The report says where each object and field went.',
    http: 'POST /api/estate/pull',
    effect: 'action',
    hasOwnTransactions: true,
    isLong: true,
    reachesOut: true,
    errors: [502],
    access: 'devices:create',
    cli: { args: ['url'], ask: ['token'], preset: { format: 'netbox' } },
    // An AI client must not be given the token of another system.
    mcp: 'hidden',
    input: () =>
      z.object({
        format: z.enum(['netbox']),
        url: z.string().min(1).max(2048).describe('The address of the NetBox, with its path'),
        token: z
          .string()
          .max(255)
          .regex(new RegExp(`^${TOKEN}$`), 'must be visible ASCII characters')
          .meta({ examples: ['0123456789abcdef0123456789abcdef01234567'] })
          .describe('An API token that may read'),
        leftover: z.boolean().default(false).describe('Adds the objects and values without a place in Plat'),
      }),
    output: () => PulledEstate,
  }),
}

export const estateRoutes = {
  import: rawRoute({
    name: 'estate.import',
    summary: 'Create and update a whole file of rows in one transaction',
    description:
      'The body is a JSON array of the objects that a create takes, or one such object a line. A row with the id of an object ' +
      'that exists updates it; without an id, the one object of the same name is meant. The answer is JSON lines: ' +
      '`{"progress":{"done","total"}}` at intervals, and at the end `{"result":{...}}` or `{"error":{...}}`. A user can run one import ' +
      'at a time, the server two; a body slower than 16 KiB/s over 10 s ends with 408.',
    http: 'POST /api/estate/import',
    audit: { action: 'create', resource: 'estate' },
    isLong: true,
    access: {
      anyOf: INVENTORY.map((resource): Permission => `${resource}:create`),
    },
    query: ImportQuery,
    requestHeaders: z.object({ [NOTE_HEADER]: ChangeNote }),
    output: ImportResult,
    produces: 'application/x-ndjson',
  }),
}
