/** The ends of cables in rows. */
import { isRecord } from '../../contract/unknown.ts'

type Fields = Readonly<Record<string, unknown>>

/** Leaves out the name of the device, which stands in answers beside its id. */
const removeDeviceName = (end: unknown): unknown => {
  if (!isRecord(end) || !('device_id' in end) || !('device' in end)) return end
  const { device: _, ...fields } = end
  return fields
}

/** Returns a row of a cable with ends as a create takes them, also of a cable as it is sent. */
export const withoutDeviceNames = (row: Fields): Fields => {
  const { a, b } = row
  return {
    ...row,
    ...(a !== undefined && { a: removeDeviceName(a) }),
    ...(b !== undefined && { b: removeDeviceName(b) }),
  }
}
