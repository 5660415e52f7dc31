/** The place of a device in its form: kept as a text, and sent whole. Pure. */
import type { Device } from '../../api/contracts.ts'

export type Mount = NonNullable<Device['mount']>

/** Every part as it is typed; '' leaves it to the server. */
export type MountForm = { readonly [F in keyof Mount]: string }

const EMPTY: MountForm = {
  rack_id: '',
  position: '',
  height: '',
  face: 'front',
  full_depth: '',
  slot: '1/1',
  power_w: '',
}

/** @returns '' without a place */
export const mountText = (mount: unknown): string => {
  // The value of a device.
  const { rack_id = '', ...rest } = (mount ?? {}) as Partial<Mount>
  if (rack_id === '') return ''
  const texts = Object.entries(rest).map(([name, value]) => [name, value === null ? '' : String(value)])
  return writeMount({ rack_id, ...Object.fromEntries(texts) })
}

/** Returns the parts in one order, so that equal places are equal texts. */
export const writeMount = (mount: Partial<MountForm>): string => {
  const { rack_id, position, height, face, full_depth, slot, power_w } = { ...EMPTY, ...mount }
  return rack_id === '' ? '' : JSON.stringify({ rack_id, position, height, face, full_depth, slot, power_w })
}

export const readMount = (text: string): MountForm =>
  // The form has written it.
  text === '' ? EMPTY : { ...EMPTY, ...(JSON.parse(text) as Partial<MountForm>) }

/** True if a part of the place is given that few devices need. */
export const hasMountDetails = (text: string): boolean => {
  const { full_depth, slot, power_w } = readMount(text)
  return full_depth !== '' || power_w !== '' || slot !== EMPTY.slot
}

/** A text that is no number is sent as it is typed, so that the server names the field. */
const toSentNumber = (text: string): unknown => {
  const typed = text.trim()
  if (typed === '') return null
  return Number.isNaN(Number(typed)) ? typed : Number(typed)
}

/** Builds the input of a call; null takes the device out of its rack. */
export const mountInput = (text: string): unknown => {
  const { rack_id, position, height, face, full_depth, slot, power_w } = readMount(text)
  if (rack_id === '') return null
  return {
    rack_id,
    position: toSentNumber(position),
    height: toSentNumber(height),
    face,
    full_depth: full_depth === '' ? null : full_depth === 'true',
    slot,
    power_w: toSentNumber(power_w),
  }
}
