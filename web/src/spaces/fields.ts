/** The fields of an address space. */
import type { Contracts, Out } from '../api/contracts.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../resource/fields.ts'

export type Space = Out<Contracts['spaces']['get']>

export const fields: Fields<Space> = {
  id: ID_FIELD,
  name: buildNameField(),
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 320 }, sort: false, filter: false },
  reachable: {
    label: 'Reachable',
    text: ({ reachable }) => (reachable ? 'yes' : 'no'),
    isSearched: false,
    form: {
      kind: 'select',
      label: 'Scans by this server',
      hint: 'A network that names another scanner is scanned by that one.',
      initial: 'false',
      options: [
        ['false', 'No: its routes do not lead there'],
        ['true', 'Yes: its routes lead there'],
      ],
      send: (text) => text === 'true',
    },
    column: { width: 100 },
    filter: { test: 'equals', hasFacet: true },
  },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
}
