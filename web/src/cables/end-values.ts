/** An end of a cable in a form: a device and the name of a port. Pure functions. */
import type { CableEnd } from './fields.ts'

export type EndValue = Pick<CableEnd, 'device_id' | 'device' | 'port' | 'side'>

const NONE: EndValue = { device_id: '', device: '', port: '', side: 'front' }

/** A form has texts. */
export const writeEnd = ({ device_id, device, port, side }: EndValue): string =>
  JSON.stringify({ device_id, device, port, side })

// Only `writeEnd` writes these texts.
export const readEnd = (text: string): EndValue => (text === '' ? NONE : (JSON.parse(text) as EndValue))

/** Builds the input of the server. It creates a port that does not exist. */
export const endInput = (text: string): object => {
  const { device_id, port, side } = readEnd(text)
  return { ...(device_id !== '' && { device_id }), port, side }
}

type Errors = Readonly<Record<string, string>>
export type EndErrors = Readonly<Record<'device' | 'port' | 'side', string | undefined>>

/** Finds the control that each error of an end belongs to. @param at the field: `a` or `b` */
export const endErrors = (errors: Errors, at: string, { device_id, port }: EndValue): EndErrors => {
  const own = errors[`${at}.port_id`]
  const ofPort = errors[`${at}.port`] ?? errors[at] ?? (device_id === '' ? undefined : own)
  const isMissing = ofPort !== undefined && device_id !== '' && port.trim() === ''
  return {
    device: errors[`${at}.device_id`] ?? (own !== undefined && device_id === '' ? 'Choose a device' : undefined),
    port: isMissing ? `End ${at.toUpperCase()} needs a port` : ofPort,
    side: errors[`${at}.side`],
  }
}
