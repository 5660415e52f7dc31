/** The contract of device types: a model with its size, its power and its ports. Browser-safe. */

import { z } from 'zod'
import { Filter, idOf, MAX_NAME } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { sortByName, toNameKey } from '../../net/name-order.ts'
import { crud } from '../../resource/crud.ts'
import { MAX_PORTS, PassThrough, PortKind, PortKindInput, PortName, PortType } from '../ports/api.ts'
import { deviceTypeFacts } from './resource.ts'

export const TypePort = z
  .object({ name: z.string(), kind: PortKind, type: z.string(), pass_through: z.boolean() })
  .meta({ id: 'DeviceTypePort' })
export type TypePort = z.infer<typeof TypePort>

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
      if (names.has(toNameKey(name)))
        check.addIssue({ code: 'custom', path: [index, 'name'], message: `is the name of two ports: ${name}` })
      names.add(toNameKey(name))
    }
  })
  .transform((ports) => sortByName(ports ?? [], ({ name }) => name))
  .describe('The ports of new devices')

const base = crud(deviceTypeFacts, {
  schemas: {
    name: { filter: Filter.optional().describe('Part of the manufacturer and the model, in any case') },
    ports: { input: Ports, answer: z.array(TypePort).describe('The ports of new devices, by name') },
  },
})
export const DeviceType = base.Item
export type DeviceType = z.infer<typeof DeviceType>
export const { Draft: DeviceTypeDraft, Patch: DeviceTypePatch } = base
export type DeviceTypeDraft = z.output<typeof DeviceTypeDraft>
export type DeviceTypePatch = z.output<typeof DeviceTypePatch>

/** The largest file of an import, in characters. */
const MAX_YAML = 8 * 1024 * 1024

export const ImportedType = z
  .object({
    id: z.string(),
    name: z.string(),
    outcome: z.enum(['created', 'updated', 'unchanged']),
    ignored: z.array(z.string()).describe('The fields of the document that have no place here'),
    left: z
      .array(z.object({ field: z.string(), count: z.int(), example: z.string() }))
      .describe('The same fields with the number of their values and the first of them, cut to its beginning'),
  })
  .meta({ id: 'ImportedDeviceType' })
export type ImportedType = z.infer<typeof ImportedType>

export const deviceTypes = {
  ...base.operations,
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
        id: idOf('device-types'),
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
