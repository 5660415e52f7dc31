/** The reservations contract: held addresses, and the allocation, unique for each caller. Browser-safe. */
import { z } from 'zod'
import { MacAddress } from '../../contract/fields/address-field.ts'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { idOf, Key, line, Page, reference, ruledText } from '../../contract/fields/fields.ts'
import { HOST_NAME } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { customInput } from '../../resource/custom/fields.ts'
import { reservationFacts } from './resource.ts'

/** The largest number of addresses of one allocation. */
export const MAX_ALLOCATION = 1000

const FIXED = 'Of a reservation that the call makes, by a ref; else it is ignored'

const base = crud(reservationFacts, {
  schemas: {
    pool_id: { patch: idOf('pools').optional().describe(FIXED) },
    ip_address: { patch: Key.optional().describe(FIXED) },
  },
})
export const { Item: Reservation, Patch: ReservationPatch } = base
/** The server chooses the id. */
export const ReservationDraft = base.Draft.omit({ id: true })
export type Reservation = z.infer<typeof Reservation>
export type ReservationDraft = z.output<typeof ReservationDraft>
export type ReservationPatch = z.output<typeof ReservationPatch>

const hostname = ruledText(253, HOST_NAME)

export const AllocationRequest = z.object({
  id: idOf('pools').describe('The pool'),
  count: z.int().min(1).max(MAX_ALLOCATION).default(1),
  contiguous: z.boolean().default(false).describe('One contiguous run of addresses'),
  device_id: reference('devices').optional().describe('Adds the addresses to this device instead of reserving them'),
  label: line(128).optional().describe('Label of the addresses on the device'),
  hostname: hostname.optional(),
  mac_address: MacAddress.optional().describe('The MAC address of the host that gets the one address'),
  purpose: line(255).optional(),
  custom: customInput('addresses').optional(),
  ttl_seconds: z
    .int()
    .min(1)
    .max(10 * 365 * 24 * 3600)
    .optional()
    .describe('The reservation expires after this time'),
})
export type AllocationRequest = z.output<typeof AllocationRequest>

export const Allocation = z
  .object({ ips: z.array(z.string()), reservations: z.array(Reservation) })
  .meta({ id: 'Allocation' })
export type Allocation = z.infer<typeof Allocation>

export const reservations = {
  all: operation({
    name: 'reservations.all',
    summary: 'List the reservations of all pools',
    http: 'GET /api/reservations',
    supportsAsOf: true,
    access: 'reservations:list',
    scope: 'filter',
    cli: { command: 'reservation list' },
    input: () => z.object({ managed_by: ManagedByFilter, ...Page }),
    output: () => z.array(Reservation),
  }),
  list: operation({
    name: 'reservations.list',
    summary: 'List the reservations of a pool',
    http: 'GET /api/pools/{pool_id}/reservations',
    supportsAsOf: true,
    access: 'reservations:list',
    scope: 'filter',
    cli: { command: 'pool reservations' },
    input: () => z.object({ pool_id: idOf('pools'), ...Page }),
    output: () => z.array(Reservation),
  }),
  create: operation({
    name: 'reservations.create',
    summary: 'Reserve an address of your choice',
    http: 'POST /api/pools/{pool_id}/reservations',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'reservations:create',
    scope: 'checkWrite',
    cli: { args: ['pool_id', 'ip_address'] },
    input: ReservationDraft,
    output: Reservation,
  }),
  get: base.operations.get,
  update: base.operations.update,
  delete: base.operations.delete,
  allocate: operation({
    name: 'reservations.allocate',
    summary: 'Allocate free addresses of a pool, each to one caller only',
    http: 'POST /api/pools/{id}/allocate',
    status: 201,
    effect: 'create',
    hasHistory: true,
    serializeBy: ({ id }) => id,
    access: 'reservations:create',
    scope: 'checkWrite',
    mcp: 'listed',
    cli: { command: 'pool allocate' },
    input: AllocationRequest,
    output: Allocation,
  }),
}
