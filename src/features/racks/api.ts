/** The contract of racks: units in a datacenter that devices are mounted in. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  idOf,
  Name,
  NewId,
  numberOr,
  optionalNumber,
  Page,
  patch,
  reference,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { operation, rawRoute } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'
import { DeviceStatus } from '../devices/schema.ts'
import { FACES, Mount } from './mount.ts'

export const NUMBERINGS = ['bottom_up', 'top_down'] as const

export const Rack = z
  .object({
    id: z.string(),
    name: z.string(),
    datacenter_id: z.string().nullable(),
    location: z.string(),
    description: z.string(),
    height: z.int().describe('In units'),
    first_unit: z.int().describe('The lowest number of a unit'),
    numbering: z.enum(NUMBERINGS).describe('Where the lowest unit is: at the bottom or at the top'),
    max_power_w: z.int().nullable(),
    refs: Refs,
    managed_by: z.string(),
    custom: customOutput('racks'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Rack', columns: ['id', 'name', 'datacenter_id', 'location', 'height', 'max_power_w'] })
export type Rack = z.infer<typeof Rack>

export const RackUsage = z
  .object({
    total_units: z.int(),
    used_units: z.int().describe('Units of which any part is taken'),
    free_units: z.int(),
    largest_free_units: z.int().describe('The longest run of free units'),
    devices: z.int(),
    power_w: z.int().describe('The sum of what is known'),
    max_power_w: z.int().nullable(),
    power: z.number().nullable().describe('Percent of the maximum'),
  })
  .meta({ id: 'RackUsage' })
export type RackUsage = z.infer<typeof RackUsage>

export const ListedRack = Rack.extend({ usage: RackUsage.optional().describe('With include=usage') }).meta({
  id: 'ListedRack',
  columns: ['id', 'name', 'datacenter_id', 'location', 'height', 'max_power_w'],
})
export type ListedRack = z.infer<typeof ListedRack>

const fields = {
  datacenter_id: reference('datacenters'),
  location: text(255).describe('Room and row'),
  description: text(4096),
  height: numberOr(42, { min: 1, max: 100 }).describe('The height in units'),
  first_unit: numberOr(1, { min: 0, max: 100 }).describe('The lowest number of a unit'),
  numbering: z
    .enum([...NUMBERINGS, ''], { error: `must be one of ${NUMBERINGS.join(', ')}` })
    .nullable()
    .transform((numbering) => numbering || ('bottom_up' as const))
    .describe('Where the lowest unit is: at the bottom or at the top'),
  max_power_w: optionalNumber(1, 1_000_000),
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('racks'),
}

export const RackDraft = z.object({ id: NewId.optional(), name: Name, ...draft(fields) })
export type RackDraft = z.output<typeof RackDraft>

export const RackPatch = z.object({ id: idOf('racks'), ...patch({ name: Name, ...fields }) })
export type RackPatch = z.output<typeof RackPatch>

const One = z.object({ id: idOf('racks') })

const { rack_id: _, ...placed } = Mount.shape

/** A device of an elevation. */
export const MountedDevice = z
  .object({
    device_id: z.string(),
    name: z.string(),
    status: DeviceStatus,
    make_model: z.string(),
    ...placed,
  })
  .meta({ id: 'MountedDevice' })
export type MountedDevice = z.infer<typeof MountedDevice>

export const Elevation = z
  .object({
    rack: Rack,
    usage: RackUsage,
    front: z.array(MountedDevice).describe('Those that the front shows, by position'),
    rear: z.array(MountedDevice).describe('Those that the rear shows, by position'),
    unplaced: z.array(MountedDevice).describe('Those in no unit, by name'),
  })
  .meta({ id: 'Elevation' })
export type Elevation = z.infer<typeof Elevation>

export const racks = {
  list: operation({
    name: 'racks.list',
    summary: 'List racks, by name',
    http: 'GET /api/racks',
    supportsAsOf: true,
    access: 'racks:list',
    scope: 'filter',
    shows: ['devices'],
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        datacenter_id: idOf('datacenters').optional(),
        managed_by: ManagedByFilter,
        include: z
          .array(z.enum(['usage']))
          .optional()
          .describe('usage adds the use of space and power'),
        custom: customFilter('racks'),
        sort: sortField(),
        ...Page,
      }),
    output: () => z.array(ListedRack),
  }),
  create: operation({
    name: 'racks.create',
    summary: 'Create a rack',
    http: 'POST /api/racks',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'racks:create',
    scope: 'checkWrite',
    cli: { args: ['name'] },
    input: RackDraft,
    output: Rack,
  }),
  get: operation({
    name: 'racks.get',
    summary: 'Show a rack',
    http: 'GET /api/racks/{id}',
    supportsAsOf: true,
    access: 'racks:read',
    scope: 'checkPath',
    input: One,
    output: Rack,
  }),
  update: operation({
    name: 'racks.update',
    summary: 'Change some fields of a rack; its devices follow it to another datacenter',
    description: BY_REF,
    http: 'PUT /api/racks/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'racks:update',
    scope: 'checkWrite',
    input: RackPatch,
    output: Rack,
  }),
  delete: operation({
    name: 'racks.delete',
    summary: 'Delete a rack; its devices stay, without a place',
    http: 'DELETE /api/racks/{id}',
    hasHistory: true,
    access: 'racks:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
  elevation: operation({
    name: 'racks.elevation',
    summary: 'Show what is mounted in a rack, on both faces',
    http: 'GET /api/racks/{id}/elevation',
    supportsAsOf: true,
    access: 'racks:read',
    scope: 'filter',
    shows: ['devices'],
    input: One,
    output: Elevation,
  }),
}

export const rackRoutes = {
  svg: rawRoute({
    name: 'racks.elevation-svg',
    readsOnce: true,
    summary: 'Return a face of a rack as an SVG image',
    http: 'GET /api/racks/{id}/elevation.svg',
    access: 'racks:read',
    scope: 'filter',
    shows: ['devices'],
    errors: [404],
    query: z.object({ face: z.enum(FACES).optional().describe('front, where absent') }),
    produces: ['image/svg+xml'],
  }),
}
