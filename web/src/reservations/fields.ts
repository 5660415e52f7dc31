/** The fields of a reservation. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields, type ItemOf, type Names } from '../resource/facts/from-facts.ts'

export type Reservation = ItemOf<typeof FACTS.reservations>

/** Reservations without a value come last. */
const LAST = '~'
/** Found by filters, and not by words. */
const UNSEARCHED = { isSearched: false } as const

/** @param names of pools by their ids */
export const buildReservationFields = (names?: Names) =>
  buildFields(
    FACTS.reservations,
    {
      pool_id: { column: { width: 180 }, sort: false, filter: { test: 'contains' } },
      ip_address: {
        label: 'Address',
        column: { id: 'address', width: 150, isEssential: true },
        filter: false,
      },
      hostname: { label: 'Host name', form: { isMono: true }, column: { width: 200, isMono: true }, filter: false },
      mac_address: {
        form: { hint: '' },
        column: { id: 'mac' },
        sort: ({ mac_address }) => mac_address ?? LAST,
        filter: false,
      },
      purpose: { column: { width: 220, isEssential: true }, filter: false },
      expires_at: {
        label: 'Ends',
        form: { hint: 'Without it, the reservation lasts until it is deleted' },
        column: { id: 'ends' },
        sort: ({ expires_at }) => expires_at ?? LAST,
      },
      created_by: {
        label: 'By',
        column: { id: 'by', width: 110 },
        filter: { name: 'by', test: 'begins' },
      },
      refs: UNSEARCHED,
      managed_by: UNSEARCHED,
      updated_at: { column: false },
    },
    { names },
  )

/** The fields without the names of pools. */
export const fields = buildReservationFields()
