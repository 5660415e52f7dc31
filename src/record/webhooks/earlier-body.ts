/** Bodies of earlier versions, with the id of the change as the second member. It is now sent in a header. */
import type { DeliveryRow } from './table.ts'

/**
 * Returns the body as it is sent now, and the id of the change. The signature is computed of the returned body.
 * @example {"event":"device.created","change_id":"0199...","delivery_id":...} // {"event":"device.created","delivery_id":...}
 */
export const separateChange = <Row extends Pick<DeliveryRow, 'event' | 'body' | 'change_id'>>(row: Row): Row => {
  const { event, body } = row
  const head = `{"event":"${event}","change_id":"`
  if (!body.startsWith(head)) return row
  const end = body.indexOf('"', head.length)
  return { ...row, body: `{"event":"${event}"${body.slice(end + 1)}`, change_id: body.slice(head.length, end) }
}
