/** Virtual machines: the devices with one tag. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

export const MACHINE_TAG = 'vm'

export const isMachine = ({ tags }: { readonly tags: readonly string[] }): boolean => tags.includes(MACHINE_TAG)

/** Returns the condition that a device is a virtual machine, or that it is none. @param id the column with the id of the device */
export const matchMachines = (machines: boolean, id = 'devices.id'): RawBuilder<SqlBool> =>
  sql`${sql.raw(machines ? '' : 'NOT ')}EXISTS (SELECT 1 FROM device_tags WHERE device_tags.device_id = ${sql.ref(id)} AND device_tags.tag = ${MACHINE_TAG})`
