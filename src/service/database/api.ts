/** The database contract: its servers, and the instances of Plat that use it. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

const Host = z.object({
  host: z.string().describe('With its port; on SQLite the name of the machine'),
  role: z
    .enum(['primary', 'standby', 'away', 'foreign'])
    .describe('`away`: it does not answer. `foreign`: it belongs to another database, or was left as a primary'),
  lag_bytes: z.int().nullable().describe('Of a standby: the bytes of the write-ahead log that it has yet to replay'),
  lag_ms: z
    .int()
    .nullable()
    .describe('Of a standby: the time since the last commit that it has replayed; 0 if it has all'),
  answers: z.int().describe('Reads that this instance has had answered by it since its start'),
  message: z.string().describe('Why it is not used; empty otherwise'),
})

const Instance = z.object({
  name: z.string().describe('Its host name and process id'),
  version: z.string().describe('Empty if its connections do not have it in their names'),
  address: z.string().describe('The address from which it is connected; empty if it is on the machine of the database'),
  since: Timestamp.nullable().describe('The start of its oldest connection; on SQLite of the process'),
  is_this: z.boolean().describe('True for the instance that answers'),
})

export const DatabaseStatus = z
  .object({
    engine: z.enum(['postgres', 'sqlite']),
    version: z.string(),
    size_bytes: z.int(),
    primary: z.string().describe('The host that accepts writes; empty without one, and on SQLite'),
    timeline: z.int().nullable().describe('Rises when a standby becomes the primary; null on SQLite'),
    reads: z.enum(['primary', 'standbys']).describe('DATABASE_READS'),
    commits_wait: z
      .boolean()
      .nullable()
      .describe('True if commits wait for a standby, so that its promotion loses none; null on SQLite'),
    hosts: z.array(Host),
    instances: z.array(Instance).describe('The instances of Plat that are connected to the database'),
  })
  .meta({ id: 'DatabaseStatus' })
export type DatabaseStatus = z.infer<typeof DatabaseStatus>

export const database = {
  status: operation({
    name: 'database.status',
    summary: 'Show the servers of the database, their roles and lag, and the instances of Plat that use it',
    http: 'GET /api/database',
    access: 'metrics:read',
    cli: { command: 'database status' },
    input: () => z.object({}),
    output: DatabaseStatus,
  }),
}
