/** The place of a device in a rack, as it is sent and as it is given. Browser-safe. */
import { z } from 'zod'
import { line, MAX_REFERENCE } from '../../contract/fields/fields.ts'

export const FACES = ['front', 'rear'] as const
export type Face = (typeof FACES)[number]

/** The largest height of a device, in units. */
export const MAX_DEVICE_HEIGHT = 100

export const Mount = z
  .object({
    rack_id: z.string(),
    position: z.number().nullable().describe('The lowest unit that it occupies; null in no unit'),
    height: z.number().describe('In units'),
    face: z.enum(FACES),
    full_depth: z.boolean(),
    slot: z.string().describe('`k/n`: the k-th of n devices beside each other'),
    power_w: z.int().nullable(),
  })
  .meta({ id: 'Mount' })
export type Mount = z.infer<typeof Mount>

const inHalves = (min: number, max: number) => z.number().min(min).max(max).multipleOf(0.5)

/** 1/1, 1/2, 2/2 ... 4/4. */
const SLOT = '1/[1-4]|2/[2-4]|3/[34]|4/4'

/** A height of 0 is that of a device type that goes in no unit. */
export const MountInput = z
  .object({
    rack_id: line(MAX_REFERENCE).min(1, 'is required').meta({ ref: 'racks' }),
    position: inHalves(0, 200).nullable().prefault(null).describe('The lowest unit that it occupies; null for no unit'),
    height: inHalves(0, MAX_DEVICE_HEIGHT)
      .nullable()
      .prefault(null)
      .describe('In units; that of the device type, else 1, where absent'),
    face: z
      .enum(FACES)
      .nullable()
      .prefault(null)
      .transform((face): Face => face ?? 'front'),
    full_depth: z.boolean().nullable().prefault(null).describe('That of the device type, else true, where absent'),
    slot: z
      .string()
      .regex(new RegExp(`^(?:${SLOT})$`), 'must be k/n, with n from 1 to 4 and k from 1 to n')
      .nullable()
      .prefault(null)
      .transform((slot) => slot ?? '1/1')
      .describe('`k/n`: the k-th of n devices beside each other'),
    power_w: z.int().min(0).max(1_000_000).nullable().prefault(null).describe('That of the device type, where absent'),
  })
  .nullable()
  .describe('The place in a rack. An update replaces the whole place; null takes the device out')

/** Absent fields are null: the device type has their values. */
export type GivenMount = NonNullable<z.output<typeof MountInput>>
