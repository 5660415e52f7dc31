/** The conflicts contract: contradictions in the inventory, and their resolution. Browser-safe. */
import { z } from 'zod'
import { idOf, Page, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { SpaceFilter } from '../spaces/fields.ts'
import { Conflict, ConflictStatus, ConflictType } from './schema.ts'

const One = z.object({ id: idOf('conflicts') })
const notes = text(4096).prefault(null)

export const Resolution = z.object({
  id: idOf('conflicts'),
  keep_device_id: idOf('devices')
    .optional()
    .describe('The device that keeps the address; the others lose it. Also needs devices:update'),
  notes,
})
export type Resolution = z.output<typeof Resolution>

export const conflicts = {
  list: operation({
    name: 'conflicts.list',
    summary: 'List conflicts, newest first',
    http: 'GET /api/conflicts',
    access: 'conflicts:list',
    scope: 'filter',
    mcp: 'listed',
    input: () =>
      z.object({
        type: ConflictType.optional(),
        status: ConflictStatus.optional(),
        space_id: SpaceFilter,
        ...Page,
      }),
    output: () => z.array(Conflict),
  }),
  summary: operation({
    name: 'conflicts.summary',
    summary: 'Count conflicts by status, and the active ones by type',
    http: 'GET /api/conflicts/summary',
    access: 'conflicts:list',
    scope: 'filter',
    input: () => z.object({}),
    output: () =>
      z
        .object({
          active: z.int(),
          resolved: z.int(),
          ignored: z.int(),
          duplicate_ip: z.int().describe('Active ones of that type'),
          overlapping_subnet: z.int().describe('Active ones of that type'),
        })
        .meta({ id: 'ConflictSummary' }),
  }),
  ofDevice: operation({
    name: 'conflicts.of-device',
    summary: 'List the conflicts of a device, newest first',
    http: 'GET /api/devices/{id}/conflicts',
    access: 'conflicts:list',
    scope: 'filter',
    shows: ['devices'],
    cli: { command: 'device conflicts' },
    input: () => z.object({ id: idOf('devices'), status: ConflictStatus.optional(), ...Page }),
    output: () => z.array(Conflict),
  }),
  get: operation({
    name: 'conflicts.get',
    summary: 'Show a conflict',
    http: 'GET /api/conflicts/{id}',
    access: 'conflicts:read',
    scope: 'filter',
    input: One,
    output: Conflict,
  }),
  detect: operation({
    name: 'conflicts.detect',
    summary: 'Check the whole inventory again, and raise resolved conflicts whose cause still exists',
    http: 'POST /api/conflicts/detect',
    effect: 'action',
    access: 'conflicts:detect',
    scope: 'checkWrite',
    input: () => z.object({}),
    output: () => z.object({ conflicts: z.array(Conflict).describe('The active conflicts'), count: z.int() }),
  }),
  resolve: operation({
    name: 'conflicts.resolve',
    summary: 'Resolve a conflict, by leaving the address to one device or manually',
    http: 'POST /api/conflicts/{id}/resolve',
    effect: 'action',
    hasHistory: true,
    access: 'conflicts:resolve',
    scope: 'checkWrite',
    input: Resolution,
    output: Conflict,
  }),
  ignore: operation({
    name: 'conflicts.ignore',
    summary: 'Ignore an intended conflict: it is not raised again',
    http: 'POST /api/conflicts/{id}/ignore',
    effect: 'action',
    access: 'conflicts:resolve',
    scope: 'checkWrite',
    input: () => z.object({ id: idOf('conflicts'), notes }),
    output: Conflict,
  }),
  delete: operation({
    name: 'conflicts.delete',
    summary: 'Delete the record of a conflict; if its cause still exists, the next check raises it again',
    http: 'DELETE /api/conflicts/{id}',
    access: 'conflicts:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
}
