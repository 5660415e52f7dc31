/** The contract of racks: units in a datacenter that devices are mounted in. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { DeviceStatus } from '../devices/schema.ts'
import { FACES, Mount } from './mount.ts'
import { rackFacts } from './resource.ts'

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

const base = crud(rackFacts, {
  listed: { usage: RackUsage.optional().describe('With include=usage') },
  filters: {
    include: z
      .array(z.enum(['usage']))
      .optional()
      .describe('usage adds the use of space and power'),
  },
  listShows: ['devices'],
})
export const Rack = base.Item
export type Rack = z.infer<typeof Rack>
export type ListedRack = z.infer<typeof base.Listed>

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
  ...base.operations,
  elevation: operation({
    name: 'racks.elevation',
    summary: 'Show what is mounted in a rack, on both faces',
    http: 'GET /api/racks/{id}/elevation',
    supportsAsOf: true,
    access: 'racks:read',
    scope: 'filter',
    shows: ['devices'],
    input: () => z.object({ id: idOf('racks') }),
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
