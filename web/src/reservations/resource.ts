/** How reservations are read, changed, searched and sorted. They are made on the page of their pool. */
import { FACTS } from '../../../src/inventory/resources.ts'
import type { Reservation } from '../api/contracts.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Names } from '../resource/facts/from-facts.ts'
import { buildTableSpec } from '../resource/fields.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildReservationFields, fields } from './fields.ts'

const ORDER = ['pool_id', 'ip_address', 'hostname', 'mac_address', 'purpose', 'expires_at', 'notes']
/** The filters that are offered first. */
const FILTERS = ['pool_id', 'created_by']

export const RESERVATION_RESOURCE: Resource<Reservation> = buildResource(FACTS.reservations, fields, { order: ORDER })

/** @param names of pools by their ids */
export const buildReservationSpec = (names: Names): TableSpec<Reservation> =>
  buildTableSpec(buildReservationFields(names), FILTERS)
