/** The cables contract: a cable connects two ports of devices. Browser-safe. */
import { z } from 'zod'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { Filter, idOf, Page, text } from '../../contract/fields/fields.ts'
import { sortField, TIMES } from '../../contract/fields/sort.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../kernel/bulk/bulk.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { customFilter } from '../../resource/custom/fields.ts'
import { End, Side } from '../ports/end.ts'
import { cableFacts } from './resource.ts'

export const CableStatus = z.enum(cableFacts.fields.status.of)
export type CableStatus = z.infer<typeof CableStatus>

const EndInput = z.object({
  port_id: idOf('ports').optional().describe('Or device_id and port'),
  device_id: idOf('devices').optional(),
  port: text(64).optional().describe('The name of a port of the device; a port that is not there is made'),
  side: z
    .enum([...Side.options, ''], { error: `must be one of ${Side.options.join(', ')}` })
    .nullable()
    .prefault(null)
    .transform((side) => side || 'front')
    .describe('rear: of a pass-through port only'),
})
export type EndInput = z.output<typeof EndInput>

const SAME = 'The end never changes: only the same one, or that of a new cable by a ref'

const END = { input: EndInput, answer: End, patch: EndInput.optional().describe(SAME) }

const base = crud(cableFacts, {
  schemas: { a: END, b: END },
  shows: ['devices', 'ports'],
  listInput: () =>
    z.object({
      device_id: idOf('devices').optional().describe('Only cables with an end at this device'),
      label: Filter.optional().describe('The label, in any case'),
      status: CableStatus.optional(),
      managed_by: ManagedByFilter,
      custom: customFilter('cables'),
      sort: sortField(['label'], TIMES),
      ...Page,
    }),
})
export const { Item: Cable, Draft: CableDraft, Patch: CablePatch } = base
export type Cable = z.infer<typeof Cable>
export type CableDraft = z.output<typeof CableDraft>
export type CablePatch = z.output<typeof CablePatch>

const Hop = z
  .object({
    cable: z
      .object({
        id: z.string(),
        label: z.string(),
        type: z.string(),
        status: CableStatus,
        length_m: z.number().nullable(),
      })
      .meta({ id: 'TracedCable' }),
    from: End,
    to: End,
  })
  .meta({ id: 'TraceHop' })
export type Hop = z.infer<typeof Hop>

const traceShape = {
  hops: z.array(Hop).describe('In order. A hop begins at the port where the one before ends'),
  ends: z.array(End).describe('The first and the last side of a port; once for a port without a cable, none of a loop'),
  length_m: z.number().nullable().describe('The sum of the known lengths; null without any'),
  is_loop: z.boolean().describe('The path ends where it begins'),
}

export const Trace = z.object(traceShape).meta({ id: 'Trace' })
export type Trace = z.infer<typeof Trace>

export const DevicePath = z
  .object({ port_id: z.string(), port: z.string().describe('The name of the port'), ...traceShape })
  .meta({ id: 'DevicePath' })
export type DevicePath = z.infer<typeof DevicePath>

/** Returns a hop as a row of a table. */
const toHopRow = ({ cable: { label, type, status, length_m }, from, to }: Hop) => ({
  ...{ from, cable: label, type, status, length_m, to },
})

const formatTrace = (answer: unknown) => {
  // The answer keeps to the contract.
  const { ends, length_m, is_loop, hops } = answer as Trace
  return { ends, length_m, is_loop, hops: hops.map(toHopRow) }
}

/** Returns the hops of all paths as rows, each with its port. */
const formatPaths = (answer: unknown) =>
  // The answer keeps to the contract.
  (answer as DevicePath[]).flatMap(({ port, hops }) => hops.map((hop, i) => ({ port, hop: i + 1, ...toHopRow(hop) })))

export const cables = {
  list: base.operations.list,
  create: operation({
    name: 'cables.create',
    summary: 'Connect two ports by a cable; ports that are not there are made',
    http: 'POST /api/cables',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'cables:create',
    scope: 'checkWrite',
    cli: { command: 'cable create' },
    input: CableDraft,
    output: Cable,
  }),
  get: base.operations.get,
  update: base.operations.update,
  delete: base.operations.delete,
  bulk: operation({
    name: 'cables.bulk',
    summary: 'Create, update and delete up to 1,000 cables in one call',
    http: 'POST /api/cables/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['cables:create', 'cables:update', 'cables:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ cable: BulkFields }),
    output: () => createBulkOutput({ cable: Cable.optional() }),
    bodyRules: () =>
      buildBulkRules('cable', {
        create: CableDraft,
        update: CablePatch,
        example: { a: { device_id: 'sw-1', port: 'Gi0/1' }, b: { device_id: 'web-1', port: 'eth0' } },
      }),
    recorded: () => createBulkInput({ cable: base.Partial() }),
  }),
  trace: operation({
    name: 'cables.trace',
    summary: 'Follow the cables from a port, through pass-through ports, to the ends of the path',
    http: 'GET /api/ports/{id}/trace',
    supportsAsOf: true,
    access: 'cables:read',
    scope: 'filter',
    shows: ['cables', 'devices', 'ports'],
    cli: { command: 'port trace', shown: formatTrace },
    input: z.object({ id: idOf('ports') }),
    output: Trace,
  }),
  paths: operation({
    name: 'cables.paths',
    summary: 'List the paths of the cabled ports of a device, by name of the port',
    http: 'GET /api/devices/{id}/paths',
    supportsAsOf: true,
    access: 'cables:list',
    scope: 'filter',
    shows: ['devices', 'ports'],
    cli: { command: 'device paths', shown: formatPaths },
    input: () => z.object({ id: idOf('devices'), ...Page }),
    output: () => z.array(DevicePath),
  }),
}
