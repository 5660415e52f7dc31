/** The reservations contract: held addresses, and the allocation, unique for each caller. Browser-safe. */
import { z } from 'zod'
import { IpAddress, MacAddress } from '../../platform/contract/address-field.ts'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  idOf,
  Key,
  line,
  Moment,
  Page,
  patch,
  reference,
  ruledText,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { HOST_NAME } from '../../platform/contract/text-rules.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customInput, customOutput } from '../custom-fields/fields.ts'

/** The largest number of addresses of one allocation. */
export const MAX_ALLOCATION = 1000

export const Reservation = z
  .object({
    id: z.string(),
    pool_id: z.string(),
    ip_address: z.string(),
    hostname: z.string(),
    mac_address: z.string().optional().describe('Absent where none is recorded'),
    purpose: z.string(),
    notes: z.string(),
    expires_at: Timestamp.nullable(),
    created_by: z.string().describe('Name of the user who made it'),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    custom: customOutput('addresses'),
  })
  .meta({ id: 'Reservation', columns: ['id', 'ip_address', 'hostname', 'purpose', 'expires_at', 'created_by'] })
export type Reservation = z.infer<typeof Reservation>

const expiry = z
  .union([Moment, z.literal('')], { error: 'must be an RFC 3339 time, like 2026-01-31T12:00:00Z' })
  .nullable()
  .transform((moment) => moment || null)
const hostname = ruledText(253, HOST_NAME)
const mac_address = MacAddress.describe('The MAC address of the host that gets the address')
const fields = {
  hostname,
  mac_address,
  purpose: text(255),
  notes: text(4096),
  expires_at: expiry,
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('addresses'),
}

export const ReservationDraft = z.object({ pool_id: idOf('pools'), ip_address: IpAddress, ...draft(fields) })
export type ReservationDraft = z.output<typeof ReservationDraft>

const FIXED = 'Of a reservation that the call makes, by a ref; else it is ignored'

export const ReservationPatch = z.object({
  id: idOf('reservations'),
  pool_id: idOf('pools').optional().describe(FIXED),
  ip_address: Key.optional().describe(FIXED),
  ...patch(fields),
})
export type ReservationPatch = z.output<typeof ReservationPatch>

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
  idempotency_key: line(255).min(1).optional().describe('The same key gets the same answer for 24 hours'),
})
export type AllocationRequest = z.output<typeof AllocationRequest>

export const Allocation = z
  .object({ ips: z.array(z.string()), reservations: z.array(Reservation) })
  .meta({ id: 'Allocation' })
export type Allocation = z.infer<typeof Allocation>

const One = z.object({ id: idOf('reservations') })

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
  get: operation({
    name: 'reservations.get',
    summary: 'Show a reservation',
    http: 'GET /api/reservations/{id}',
    supportsAsOf: true,
    access: 'reservations:read',
    scope: 'checkPath',
    input: One,
    output: Reservation,
  }),
  update: operation({
    name: 'reservations.update',
    summary: 'Change some fields of a reservation',
    description: BY_REF,
    http: 'PUT /api/reservations/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'reservations:update',
    scope: 'checkWrite',
    input: ReservationPatch,
    output: Reservation,
  }),
  delete: operation({
    name: 'reservations.delete',
    summary: 'Free a reserved address',
    http: 'DELETE /api/reservations/{id}',
    hasHistory: true,
    access: 'reservations:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
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
    headers: { 'Idempotency-Key': 'idempotency_key' },
    mcp: 'listed',
    cli: { command: 'pool allocate' },
    input: AllocationRequest,
    output: Allocation,
  }),
}
