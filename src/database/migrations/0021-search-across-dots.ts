/** Pieces of addresses and of names with dots in them are found by the index: it held what lies between the dots. */
import type { Migration } from '../migrate.ts'

export const searchAcrossDots: Migration = {
  name: '0021-search-across-dots',
  statements: ({ substringIndexAcross }) => substringIndexAcross('devices'),
}
