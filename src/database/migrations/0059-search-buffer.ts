/** The text index of devices writes larger segments in large transactions. */
import type { Migration } from '../migrate.ts'

export const searchBuffer: Migration = {
  name: '0059-search-buffer',
  floor: 'unchanged',
  statements: ({ substringIndexBuffer }) => substringIndexBuffer('devices'),
}
