/** How reservations are read, changed, searched and sorted. They are made on the page of their pool. */
import { contracts, type Pool, type Reservation } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields, buildTableSpec } from '../resource/fields.ts'
import type { Names } from '../resource/from-facts.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildReservationFields, fields } from './fields.ts'

const ORDER = ['pool_id', 'ip_address', 'hostname', 'mac_address', 'purpose', 'expires_at', 'notes']
/** The filters that are offered first. */
const FILTERS = ['pool_id', 'created_by']

export const buildReservationResource = (pools: readonly Pool[]): Resource<Reservation> => ({
  noun: 'reservation',
  fields: buildFormFields(fields, ORDER, {
    pool_id: {
      options: [['', 'Choose one'], ...pools.map(({ id, name, start_ip }) => [id, `${name} · ${start_ip} …`] as const)],
    },
    // An address has the custom fields of addresses, whether a device has it or a reservation.
    custom: buildCustomControl('addresses'),
  }),
  getName: ({ ip_address }) => ip_address,
  ...createCrud(contracts.reservations),
  changes: ['reservations', 'pools', 'pool', 'networks'],
})

/** @param names of pools by their ids */
export const buildReservationSpec = (names: Names): TableSpec<Reservation> =>
  buildTableSpec(buildReservationFields(names), FILTERS)
