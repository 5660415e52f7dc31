/** The fields of an address space. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields, type ItemOf } from '../resource/facts/from-facts.ts'

export type Space = ItemOf<typeof FACTS.spaces>

export const fields = buildFields(FACTS.spaces, {
  description: { column: { width: 320 } },
  reachable: {
    form: {
      label: 'Scans by this server',
      hint: 'A network that names another scanner is scanned by that one.',
      options: [
        ['false', 'No: its routes do not lead there'],
        ['true', 'Yes: its routes lead there'],
      ],
    },
    filter: { hasFacet: true },
  },
})
