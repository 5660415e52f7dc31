/** The contract of device types: a model with its size, its power and its ports. Browser-safe. */
import { z } from 'zod'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  MAX_NAME,
  NewId,
  optionalNumber,
  Page,
  patch,
  Timestamp,
  text,
  trimmed,
} from '../../platform/contract/fields.ts'
import { operation } from '../../platform/operation/operation.ts'
import { MAX_PORTS, PassThrough, PortKind, PortKindInput, PortName, PortType } from '../ports/api.ts'
import { MAX_DEVICE_HEIGHT } from '../racks/mount.ts'

export const TypePort = z
  .object({ name: z.string(), kind: PortKind, type: z.string(), pass_through: z.boolean() })
  .meta({ id: 'DeviceTypePort' })
export type TypePort = z.infer<typeof TypePort>

export const DeviceType = z
  .object({
    id: z.string(),
    name: z.string().describe('The manufacturer and the model'),
    manufacturer: z.string(),
    model: z.string(),
    slug: z.string(),
    part_number: z.string(),
    height: z.number().describe('In units; 0 goes in no unit'),
    full_depth: z.boolean(),
    power_w: z.int().nullable(),
    description: z.string(),
    ports: z.array(TypePort).describe('The ports of new devices, by name'),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DeviceType', columns: ['id', 'manufacturer', 'model', 'height', 'part_number'] })
export type DeviceType = z.infer<typeof DeviceType>

/** Both together are the name, which has at most 255 characters. */
const Part = trimmed(127)

const byName = (a: TypePort, b: TypePort): number => a.name.localeCompare(b.name, 'en', { numeric: true })

const Ports = z
  .array(
    z.object({
      name: PortName,
      kind: PortKindInput.prefault(null),
      type: PortType.prefault(null),
      pass_through: PassThrough.prefault(null),
    }),
  )
  .max(MAX_PORTS)
  .nullable()
  .superRefine((ports, check) => {
    const names = new Set<string>()
    for (const [index, { name }] of (ports ?? []).entries()) {
      if (names.has(name.toLowerCase()))
        check.addIssue({ code: 'custom', path: [index, 'name'], message: `is the name of two ports: ${name}` })
      names.add(name.toLowerCase())
    }
  })
  .transform((ports) => [...(ports ?? [])].sort(byName))
  .describe('The ports of new devices')

const fields = {
  slug: text(100),
  part_number: text(100),
  height: z
    .number()
    .min(0)
    .max(MAX_DEVICE_HEIGHT)
    .multipleOf(0.5)
    .nullable()
    .transform((height) => height ?? 1)
    .describe('The height in units; 0 goes in no unit'),
  full_depth: flagOr(true),
  power_w: optionalNumber(1, 1_000_000),
  description: text(4096),
  ports: Ports,
  refs: RefsInput,
  managed_by: ManagedBy,
}

export const DeviceTypeDraft = z.object({ id: NewId.optional(), manufacturer: Part, model: Part, ...draft(fields) })
export type DeviceTypeDraft = z.output<typeof DeviceTypeDraft>

export const DeviceTypePatch = z.object({
  id: idOf('device-types'),
  ...patch({ manufacturer: Part, model: Part, ...fields }),
})
export type DeviceTypePatch = z.output<typeof DeviceTypePatch>

const One = z.object({ id: idOf('device-types') })

/** The largest file of an import, in characters. */
const MAX_YAML = 8 * 1024 * 1024

export const ImportedType = z
  .object({
    id: z.string(),
    name: z.string(),
    outcome: z.enum(['created', 'updated', 'unchanged']),
    ignored: z.array(z.string()).describe('The fields of the document that have no place here'),
  })
  .meta({ id: 'ImportedDeviceType' })
export type ImportedType = z.infer<typeof ImportedType>

export const deviceTypes = {
  list: operation({
    name: 'device-types.list',
    summary: 'List device types, by name',
    http: 'GET /api/device-types',
    supportsAsOf: true,
    access: 'device-types:list',
    scope: 'filter',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the manufacturer and the model, in any case'),
        managed_by: ManagedByFilter,
        ...Page,
      }),
    output: () => z.array(DeviceType),
  }),
  create: operation({
    name: 'device-types.create',
    summary: 'Create a device type',
    http: 'POST /api/device-types',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'device-types:create',
    cli: { args: ['manufacturer', 'model'] },
    input: DeviceTypeDraft,
    output: DeviceType,
  }),
  get: operation({
    name: 'device-types.get',
    summary: 'Show a device type',
    http: 'GET /api/device-types/{id}',
    supportsAsOf: true,
    access: 'device-types:read',
    scope: 'checkPath',
    input: One,
    output: DeviceType,
  }),
  update: operation({
    name: 'device-types.update',
    summary: 'Change some fields of a device type; its devices stay as they are',
    description: BY_REF,
    http: 'PUT /api/device-types/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'device-types:update',
    input: DeviceTypePatch,
    output: DeviceType,
  }),
  delete: operation({
    name: 'device-types.delete',
    summary: 'Delete a device type; its devices and their ports stay',
    http: 'DELETE /api/device-types/{id}',
    hasHistory: true,
    access: 'device-types:delete',
    input: One,
    output: () => z.void(),
  }),
  apply: operation({
    name: 'device-types.apply',
    summary: 'Add the ports of a device type that its devices lack; none is changed or removed',
    http: 'POST /api/device-types/{id}/apply',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    isLong: true,
    access: 'ports:create',
    scope: 'checkWrite',
    input: () =>
      z.object({
        ...One.shape,
        device_ids: z
          .array(idOf('devices'))
          .max(10_000)
          .nullable()
          .optional()
          .describe('All of the type, where absent'),
      }),
    output: () => z.object({ devices: z.int().describe('Devices that got ports'), ports_added: z.int() }),
  }),
  import: operation({
    name: 'device-types.import',
    summary: 'Import device types from YAML of the community library, all or none',
    http: 'POST /api/device-types/import',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    isLong: true,
    access: 'device-types:create',
    cli: { args: ['yaml'] },
    maxBodyBytes: 17 * 1024 * 1024,
    input: () =>
      z.object({ yaml: z.string().min(1).max(MAX_YAML).describe('Documents of YAML, of one device type each') }),
    output: () =>
      z.object({
        created: z.int(),
        updated: z.int(),
        unchanged: z.int(),
        device_types: z.array(ImportedType),
      }),
  }),
}

/** @example buildName({ manufacturer: 'Cisco', model: 'C9300-48P' }) // 'Cisco C9300-48P' */
export const buildName = ({ manufacturer, model }: Pick<DeviceType, 'manufacturer' | 'model'>): string =>
  `${manufacturer} ${model}`.slice(0, MAX_NAME)
