/** The impact contract: what stops, or is cut off, when devices, datacenters or networks go away. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { DeviceStatus } from '../../inventory/devices/schema.ts'
import { RelationshipType } from '../../inventory/relationships/api.ts'
import { operation } from '../../kernel/operation.ts'

/** The most objects of a kind that a preview names. */
const MAX_NAMED = 1000
export const MAX_DEPTH = 50
const MAX_POINTS = 500

export const Effect = z
  .enum(['stops', 'cut_off'])
  .describe('stops: it is contained in, or depends on, what is gone; cut_off: it is left without the rest of its links')
export type Effect = z.infer<typeof Effect>

const ImpactDevice = z.object({ device_id: z.string(), name: z.string() }).meta({ id: 'ImpactDevice' })
export type ImpactDevice = z.infer<typeof ImpactDevice>

export const AffectedDevice = z
  .object({
    device_id: z.string(),
    name: z.string(),
    status: DeviceStatus,
    datacenter_id: z.string().nullable(),
    effect: Effect,
    depth: z.int().describe('The steps from what goes away'),
    because: z
      .object({ device_id: z.string(), type: RelationshipType })
      .nullable()
      .describe('The neighbor by which it follows; null for a device that loses its network'),
  })
  .meta({ id: 'AffectedDevice' })
export type AffectedDevice = z.infer<typeof AffectedDevice>

export const Impact = z
  .object({
    failed: z.array(ImpactDevice).describe('The devices that go away'),
    affected: z.array(AffectedDevice).describe('The devices that follow, nearest first'),
    degraded: z.array(ImpactDevice).describe('Devices that lose a network and have an address in another one'),
    counts: z.object({ failed: z.int(), stops: z.int(), cut_off: z.int(), degraded: z.int() }),
    is_truncated: z.boolean().describe('Devices farther than `depth` are left out'),
  })
  .meta({ id: 'Impact' })
export type Impact = z.infer<typeof Impact>

export const SinglePoint = z
  .object({
    device_id: z.string(),
    name: z.string(),
    stops: z.int().describe('How many devices it contains or that depend on it, directly or not'),
    cut_off: z.int().describe('How many devices are linked to the rest only through it'),
  })
  .meta({ id: 'SinglePoint', columns: ['name', 'stops', 'cut_off', 'device_id'] })
export type SinglePoint = z.infer<typeof SinglePoint>

const types = z
  .array(RelationshipType)
  .optional()
  .describe('The types of relationships to follow; all by default. Cables belong to `connected_to`')

const How = {
  types,
  depth: z.int().min(1).max(MAX_DEPTH).optional().describe('Leaves out devices that are farther; none by default'),
}

/** Returns an impact as the command line shows it: the numbers, then the devices. */
const formatImpact = (answer: unknown) => {
  // The answer keeps to the contract.
  const { failed, affected, degraded, counts, is_truncated } = answer as Impact
  const names = new Map([...failed, ...affected].map(({ device_id, name }) => [device_id, name]))
  return {
    ...{ failed: counts.failed, stops: counts.stops, cut_off: counts.cut_off, degraded: counts.degraded, is_truncated },
    devices: [
      ...failed.map(({ name }) => ({ name, effect: 'failed', depth: 0, because: '' })),
      ...affected.map(({ name, effect, depth, because }) => ({
        ...{ name, effect, depth },
        because: because === null ? '' : `${names.get(because.device_id)} ${because.type}`,
      })),
      ...degraded.map(({ name }) => ({ name, effect: 'degraded', depth: 1, because: '' })),
    ],
  }
}

export const impact = {
  ofDevice: operation({
    name: 'impact.of-device',
    summary: 'Show what stops or is cut off if a device goes away',
    description:
      'What a device contains, and what depends on it, stops. Devices that are linked to the rest only through it are cut off.',
    http: 'GET /api/devices/{id}/impact',
    access: 'relationships:list',
    scope: 'filter',
    shows: ['cables', 'devices'],
    cli: { command: 'device impact', shown: formatImpact },
    input: () => z.object({ id: idOf('devices'), ...How }),
    output: Impact,
  }),
  ofDatacenter: operation({
    name: 'impact.of-datacenter',
    summary: 'Show what stops or is cut off if a datacenter goes away, with all below it',
    http: 'GET /api/datacenters/{id}/impact',
    access: 'relationships:list',
    scope: 'filter',
    shows: ['cables', 'datacenters', 'devices'],
    cli: { command: 'datacenter impact', shown: formatImpact },
    input: () => z.object({ id: idOf('datacenters'), ...How }),
    output: Impact,
  }),
  ofNetwork: operation({
    name: 'impact.of-network',
    summary: 'Show what stops or is cut off if a network goes away',
    description:
      'A device with all of its addresses in the network is cut off; one with an address elsewhere is degraded.',
    http: 'GET /api/networks/{id}/impact',
    access: 'relationships:list',
    scope: 'filter',
    shows: ['cables', 'devices'],
    cli: { command: 'network impact', shown: formatImpact },
    input: () => z.object({ id: idOf('networks'), ...How }),
    output: Impact,
  }),
  preview: operation({
    name: 'impact.preview',
    summary: 'Show what stops or is cut off if several devices, datacenters or networks go away at once',
    http: 'POST /api/impact',
    effect: 'read',
    access: 'relationships:list',
    scope: 'filter',
    shows: ['cables', 'datacenters', 'devices', 'networks'],
    cli: { command: 'impact preview', shown: formatImpact },
    input: () =>
      z.object({
        device_ids: z.array(idOf('devices')).max(MAX_NAMED).optional(),
        datacenter_ids: z.array(idOf('datacenters')).max(MAX_NAMED).optional(),
        network_ids: z.array(idOf('networks')).max(MAX_NAMED).optional(),
        ...How,
      }),
    output: Impact,
  }),
  singlePoints: operation({
    name: 'impact.single-points',
    summary: 'List the devices on which most others hang, by dependencies and by links',
    description: 'Each device by itself, and both numbers apart. `impact.of-device` shows both effects together.',
    http: 'GET /api/impact/single-points',
    access: 'relationships:list',
    scope: 'filter',
    shows: ['cables', 'devices'],
    cli: { command: 'impact single-points' },
    input: () => z.object({ types, limit: z.int().min(1).max(MAX_POINTS).default(50) }),
    output: () => z.array(SinglePoint),
  }),
}
