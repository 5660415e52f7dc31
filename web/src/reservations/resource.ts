/** How reservations are read, changed, searched and sorted. They are made on the page of their pool. */
import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { contracts, type Pool, type Reservation } from '../api/contracts.ts'
import { buildCustomSpec } from '../custom-fields/known-custom.tsx'
import { createCrud } from '../resource/crud.ts'
import { KNOWN_FILTERS, REFS_FORM } from '../resource/known-fields.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'

export const buildReservationResource = (pools: readonly Pool[]): Resource<Reservation> => ({
  noun: 'reservation',
  fields: [
    {
      name: 'pool_id',
      label: 'Pool',
      kind: 'select',
      isRequired: true,
      isFixed: true,
      options: [['', 'Choose one'], ...pools.map(({ id, name, start_ip }) => [id, `${name} · ${start_ip} …`] as const)],
    },
    { name: 'ip_address', label: 'Address', isMono: true, isRequired: true, isFixed: true },
    { name: 'hostname', label: 'Host name', isMono: true },
    { name: 'mac_address', label: 'MAC address', isMono: true },
    { name: 'purpose', label: 'Purpose' },
    {
      name: 'expires_at',
      label: 'Ends',
      kind: 'moment',
      hint: 'Without it, the reservation lasts until it is deleted',
    },
    { name: 'notes', label: 'Notes', kind: 'area' },
    buildCustomSpec('addresses'),
    REFS_FORM,
  ],
  getName: ({ ip_address }) => ip_address,
  ...createCrud(contracts.reservations),
  changes: ['reservations', 'pools', 'pool', 'networks'],
})

export const buildReservationSpec = (names: ReadonlyMap<string, string>): TableSpec<Reservation> => ({
  id: ({ id }) => id,
  text: (one) =>
    [one.ip_address, one.hostname, one.mac_address ?? '', one.purpose, one.notes, one.created_by].join('\n'),
  sorts: {
    address: ({ ip_address }) => parseIpKey(ip_address, DEFAULT_SPACE) ?? ip_address,
    hostname: ({ hostname }) => hostname,
    mac: ({ mac_address }) => mac_address ?? '~',
    purpose: ({ purpose }) => purpose,
    // Reservations without an end come last.
    ends: ({ expires_at }) => expires_at ?? '~',
    by: ({ created_by }) => created_by,
  },
  fields: {
    pool: ({ pool_id }, value) => (names.get(pool_id) ?? '').toLowerCase().includes(value),
    by: ({ created_by }, value) => created_by.toLowerCase().startsWith(value),
    ...KNOWN_FILTERS.fields,
  },
  facets: {
    pool: ({ pool_id }) => [names.get(pool_id) ?? ''],
    by: ({ created_by }) => [created_by],
    ...KNOWN_FILTERS.facets,
  },
})
